/* SPDX-License-Identifier: Apache-2.0 */
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.file.Files;
import java.util.Arrays;
import javax.xml.transform.stream.StreamSource;
import net.sf.saxon.s9api.DocumentBuilder;
import net.sf.saxon.s9api.Processor;
import net.sf.saxon.s9api.XdmNode;
import net.sf.saxon.s9api.XsltExecutable;
import net.sf.saxon.s9api.XsltTransformer;

/**
 * A peer: Saxon-HE in process, timed as bench/libxslt.c times libxslt.
 *
 *   java -cp Saxon-HE.jar:DIR Saxon style.xsl doc.xml N    one JSON object on standard output: medians of N rounds, at least
 *                                                          until a second is over, after six seconds to warm up
 *
 * The stylesheet is compiled once, the document's bytes are in memory and are parsed anew for every round. Saxon writes while it
 * transforms, so serialize_us is 0; what the garbage collector takes is in the rounds that it falls into.
 */
public final class Saxon {
    private static double median(double[] times, int n) {
        double[] sorted = Arrays.copyOf(times, n);
        Arrays.sort(sorted);
        return sorted[n / 2] / 1000;
    }

    public static void main(String[] arguments) throws Exception {
        int wanted = Integer.parseInt(arguments[2]), n = 0, length = 0;
        byte[] bytes = Files.readAllBytes(new File(arguments[1]).toPath());
        String uri = new File(arguments[1]).toURI().toString();
        Processor saxon = new Processor(false);
        XsltExecutable sheet = saxon.newXsltCompiler().compile(new StreamSource(new File(arguments[0])));
        DocumentBuilder builder = saxon.newDocumentBuilder();
        double[] parse = new double[1 << 20], transform = new double[1 << 20];
        long begin = System.nanoTime(), warm = wanted > 1 ? 6_000_000_000L : 0, enough = wanted > 1 ? 1_000_000_000L : 0;
        for (boolean isWarm = false; n < parse.length; n++) {
            long t0 = System.nanoTime();
            if (!isWarm && t0 - begin > warm) {
                isWarm = true;
                n = 0;
            }
            if (isWarm && n >= wanted && t0 - begin > warm + enough)
                break;
            XdmNode document = builder.build(new StreamSource(new ByteArrayInputStream(bytes), uri));
            long t1 = System.nanoTime();
            ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);
            XsltTransformer run = sheet.load();
            run.setInitialContextNode(document);
            run.setDestination(saxon.newSerializer(out));
            run.transform();
            long t2 = System.nanoTime();
            parse[n] = t1 - t0;
            transform[n] = t2 - t1;
            length = out.size();
        }
        System.out.printf("{\"parse_us\":%.2f,\"evaluate_us\":%.2f,\"serialize_us\":0,\"output_bytes\":%d,\"repeat\":%d}%n",
                          median(parse, n), median(transform, n), length, n);
    }
}
