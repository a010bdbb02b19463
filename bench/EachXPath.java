/* SPDX-License-Identifier: Apache-2.0 */
import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import net.sf.saxon.s9api.Processor;
import net.sf.saxon.s9api.XPathCompiler;
import net.sf.saxon.s9api.XPathSelector;
import net.sf.saxon.s9api.XdmNode;

/**
 * Saxon-HE evaluates one profile after the other: a peer of gpuxml-match, as bench/each_xpath.c is with libxml2.
 *
 *   java -cp Saxon-HE.jar:DIR EachXPath ROUNDS PROFILES DOCUMENT ...
 *
 * Expressions are compiled before, documents parsed before. Each document has ROUNDS rounds at least, and two seconds to
 * warm up before the first. Writes the least CPU time for a document, in microseconds, and how many profiles match one.
 */
public final class EachXPath {
    private static int matches(List<XPathSelector> profiles, XdmNode document) throws Exception {
        int found = 0;
        for (XPathSelector profile : profiles) {
            profile.setContextItem(document);
            found += profile.effectiveBooleanValue() ? 1 : 0;
        }
        return found;
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]), documents = arguments.length - 2, found = 0;
        Processor saxon = new Processor(false);
        XPathCompiler compiler = saxon.newXPathCompiler();
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        List<XPathSelector> profiles = new ArrayList<>();
        double sum = 0;
        for (String line : Files.readAllLines(Paths.get(arguments[1])))
            profiles.add(compiler.compile(line.substring(line.indexOf('\t') + 1)).load());
        for (int i = 0; i < documents; i++) {
            XdmNode document = saxon.newDocumentBuilder().build(new File(arguments[2 + i]));
            long least = Long.MAX_VALUE, warm = System.nanoTime() + (i == 0 ? 2_000_000_000L : 0);
            int here = 0;
            for (int round = 0; round < rounds || System.nanoTime() < warm; round++) {
                long began = clock.getCurrentThreadCpuTime();
                here = matches(profiles, document);
                least = Math.min(least, clock.getCurrentThreadCpuTime() - began);
            }
            sum += least / 1000.0;
            found += here;
        }
        System.out.printf("%.1f us, %d matches%n", sum / documents, found / documents);
    }
}
