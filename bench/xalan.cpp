/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xalan.cpp -- a peer: Xalan-C in process, timed as bench/libxslt.c times libxslt
 *
 *   xalan style.xsl doc.xml N      one JSON object on standard output: medians of N rounds of parse, transform with
 * serialise, free
 *
 * The stylesheet is compiled once, the document's bytes are in memory and are parsed anew for every round. Xalan
 * writes while it transforms, so serialize_us is 0.
 */
#include <xalanc/Include/PlatformDefinitions.hpp>
#include <xercesc/util/PlatformUtils.hpp>
#include <xalanc/XalanTransformer/XalanTransformer.hpp>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
extern "C" {
#include "../tools/timing.h"
}

static int measure(const char *sheet_path, const std::string &bytes, int n)
{
    xalanc::XalanTransformer xalan;
    const xalanc::XalanCompiledStylesheet *sheet = nullptr;
    if (xalan.compileStylesheet(xalanc::XSLTInputSource(sheet_path), sheet) != 0)
        return std::cerr << "xalan: " << xalan.getLastError() << "\n", 2;
    std::vector<double> parse, transform, release;
    size_t length = 0;
    for (int i = 0; i < n; i++) {
        std::istringstream in(bytes);
        std::ostringstream out;
        const xalanc::XalanParsedSource *source = nullptr;
        const double t0 = now_us();
        if (xalan.parseSource(xalanc::XSLTInputSource(in), source) != 0)
            return std::cerr << "xalan: " << xalan.getLastError() << "\n", 3;
        const double t1 = now_us();
        if (xalan.transform(*source, sheet, xalanc::XSLTResultTarget(out)) != 0)
            return std::cerr << "xalan: " << xalan.getLastError() << "\n", 4;
        const double t2 = now_us();
        xalan.destroyParsedSource(source);
        const double t3 = now_us();
        parse.push_back(t1 - t0);
        transform.push_back(t2 - t1);
        release.push_back(t3 - t2);
        length = static_cast<size_t>(out.tellp());
    }
    printf("{\"parse_us\":%.2f,\"evaluate_us\":%.2f,\"serialize_us\":0,\"free_us\":%.2f,\"output_bytes\":%zu,"
           "\"repeat\":%d}\n",
           median(parse.data(), n), median(transform.data(), n), median(release.data(), n), length, n);
    return 0;
}

int main(int argc, char **argv)
{
    const int n = argc == 4 ? atoi(argv[3]) : 0;
    if (n < 1)
        return fprintf(stderr, "usage: xalan style.xsl doc.xml N\n"), 1;
    std::ifstream file(argv[2], std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    xercesc::XMLPlatformUtils::Initialize();
    xalanc::XalanTransformer::initialize();
    return measure(argv[1], bytes, n);
}
