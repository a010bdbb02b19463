#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Media types with parameters in quotes: a source's charset is read from them, and pages are sent with them (RFC 9110,
5.6.4 and 8.3.1)."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

UTF8, LATIN1 = "<a>\u00f6</a>".encode(), "<a>\u00f6</a>".encode("latin-1")
SENT = [    # a back end's Content-Type, the bytes behind it
    ('application/soap+xml; action="urn:x;charset=no"', UTF8),
    ('application/soap+xml; charset="utf-8"; action="x;y"', UTF8),
    ('application/xop+xml; type="text/xml; charset=utf-16"', UTF8),
    ('text/xml; title="a\\"; charset=utf-16; b"; charset=utf-8', UTF8),
    ('application/xml; note="x; charset=utf-8"; charset=iso-8859-1', LATIN1),
    ('text/xml; charset="utf\\-8"', UTF8),
    ('application/xml; x="a;b"; charset="iso-8859-1"', LATIN1),
    ('text/xml; title="charset=utf-16"', UTF8),
    ('text/xml; charset=', UTF8),
    ('text/xml; charset="utf-8', UTF8),
]
PAGES = {   # in xsl:output: the header
    "profile": ('application/ld+json; profile="https://www.w3.org/ns/activitystreams"',
                'application/ld+json; profile="https://www.w3.org/ns/activitystreams"; charset=UTF-8'),
    "soap": ('application/soap+xml; charset="latin1"; action="x;y"',
             'application/soap+xml; action="x;y"; charset=UTF-8'),
    "related": ('multipart/related; type="application/xop+xml"; start-info="a\\"b"',
                'multipart/related; type="application/xop+xml"; start-info="a\\"b"; charset=UTF-8'),
}
CONF = "GPUXMLEngine cpu\n"
for name in PAGES:
    CONF += "<Location /page/%s.xml>\nGPUXMLStylesheet conf/xsl/%s.xsl\n</Location>\n" % (name, name)
CONF += """
<Location /directive.xml>
    GPUXMLStylesheet conf/xsl/a.xsl
    GPUXMLOutput 'type=application/ld+json; profile="urn:a;b"' charset=iso-8859-1
</Location>
ProxyPass /p/ http://127.0.0.1:%d/
<Location /p/>
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
ProxyPass /typed/ http://127.0.0.1:%d/typed/
<Location /typed/>
    GPUXMLStylesheet conf/xsl/a.xsl
    GPUXMLTypes "application/atom+xml; type=feed"
</Location>
"""
TYPED = ['application/atom+xml;type=feed', 'application/atom+xml; type="feed"; charset=utf-8',
         'application/atom+xml;type=entry', 'application/atom+xml', "text/xml"]


def backend(r):
    n = int(r.path.rsplit("/", 1)[1])
    answer(r, UTF8, TYPED[n]) if "typed" in r.path else answer(r, SENT[n][1], SENT[n][0])


port = Backend(backend).port
web = Httpd("media", CONF % (port, port))
web.put("conf/xsl/a.xsl", sheet('<xsl:output method="html" encoding="UTF-8"/><xsl:template match="/"><p>[<xsl:value-of '
                                'select="."/>]</p></xsl:template>'))
for name, (type, _) in PAGES.items():
    web.put("conf/xsl/%s.xsl" % name, sheet('<xsl:output method="text" media-type="%s"/><xsl:template '
                                            'match="/">{}</xsl:template>' % type.replace('"', "&quot;")))
    web.put("htdocs/page/%s.xml" % name, "<a/>")
web.put("htdocs/directive.xml", "<a>\u00f6</a>")
with web:
    for n, (type, _) in enumerate(SENT):
        a = web.get("/p/%d" % n)
        ok(a.status == 200 and "[\u00f6]" in a.text,
           "sent: " + type) or diag("%d %s" % (a.status, "".join(web.new_log("GX01"))[-160:]))
    for name, (type, want) in PAGES.items():
        a = web.get("/page/%s.xml" % name)
        is_((a.status, a["content-type"], a.text), (200, want, "{}"), "xsl:output: " + type)
    a = web.get("/directive.xml")
    is_((a["content-type"], "[\u00f6]".encode("latin-1") in a.body),
        ('application/ld+json; profile="urn:a;b"; charset=iso-8859-1', True), "GPUXMLOutput")
    is_(["[" in web.get("/typed/%d" % n).text for n in range(len(TYPED))], [True, True, False, False, False],
        "GPUXMLTypes with a parameter")
done()
