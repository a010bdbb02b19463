#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A page that depends on what no cache sees (an address, a user, a variable by SetEnvIf that is not a header's) is for
the client's own cache only; one that depends on headers, also through variables, says so in Vary; and mod_cache gives
nobody another one's page."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

PRIVATE, SHARED = True, False


def section(condition, directives="GPUXMLParam p x", more=""):
    return '<If "%s">\n%s\n</If>\n%s\n' % (condition, directives, more)


CASES = {   # name: directives of the section, private?, Vary
    "none": ("", SHARED, None),
    "literal": ("GPUXMLParam p x", SHARED, None),
    "header": ('GPUXMLParam p "%{HTTP:X-P}"', SHARED, "X-P"),
    "cookie": ('GPUXMLParam p "%{HTTP_COOKIE}"', SHARED, "Cookie"),
    "url": ('GPUXMLParam p "%{QUERY_STRING}%{REQUEST_URI}%{SERVER_NAME}%{HTTP_HOST}"', SHARED, None),
    "functions": ('GPUXMLParam p "%{md5:%{tolower:%{REQUEST_URI}}}"', SHARED, None),
    "clock": ('GPUXMLParam p "%{TIME_YEAR}"', SHARED, None),
    "novary": ('GPUXMLParam p "%{req_novary:X-P}"', SHARED, None),
    "addr": ('GPUXMLParam p "%{REMOTE_ADDR}"', PRIVATE, None),
    "user": ('GPUXMLParam p "%{REMOTE_USER}"', PRIVATE, None),
    "in-function": ('GPUXMLParam p "%{md5:%{REMOTE_USER}}"', PRIVATE, None),
    "log-id": ('GPUXMLParam p "%{REQUEST_LOG_ID}"', PRIVATE, None),
    "note": ('GPUXMLParam p "%{note:x}"', PRIVATE, None),
    "ssl-env": ('GPUXMLParam p "%{reqenv:SSL_CLIENT_S_DN}"', PRIVATE, None),
    "env-unknown": ('GPUXMLParam p "%{reqenv:NOWHERE}"', PRIVATE, None),
    "env-by-name": ('GPUXMLParam p "%{reqenv:%{HTTP:X-Name}}"', PRIVATE, "X-Name"),
    "env-fixed": ('GPUXMLParam p "%{reqenv:SITE}"', SHARED, None),
    "env-header": ('GPUXMLParam p "%{reqenv:BY_HEADER}"', SHARED, "X-Lang"),
    "env-agent": ('GPUXMLParam p "%{reqenv:BY_AGENT}"', SHARED, "User-Agent"),
    "env-cookie": ('GPUXMLParam p "%{reqenv:U}"', SHARED, "Cookie"),
    "env-uri": ('GPUXMLParam p "%{reqenv:BY_URI}"', SHARED, None),
    "env-address": ('GPUXMLParam p "%{reqenv:BY_ADDR}"', PRIVATE, None),
    "env-both": ('GPUXMLParam p "%{reqenv:BY_BOTH}"', PRIVATE, "X-Lang"),
    "env-pattern": ('GPUXMLParam p "%{reqenv:BY_PATTERN}"', PRIVATE, None),
    "env-of-env": ('GPUXMLParam p "%{reqenv:OF_ADDR}"', PRIVATE, "BY_ADDR"),
    "env-of-header": ('GPUXMLParam p "%{env:OF_HEADER}"', SHARED, "BY_HEADER.*X-Lang"),
    "env-expr": ('SetEnvIfExpr "req(\'X-Expr\') == \'a\'" BY_EXPR=1\nGPUXMLParam p "%{reqenv:BY_EXPR}"',
                 SHARED, "X-Expr"),
    "env-expr-address": ('SetEnvIfExpr "-R \'10.0.0.0/8\'" BY_EXPR_ADDR=1\nGPUXMLParam p "%{reqenv:BY_EXPR_ADDR}"',
                         PRIVATE, None),
    "env-if": ('GPUXMLParam p "%{reqenv:IN_IF}"', PRIVATE, None),
    "env-rewrite": ('GPUXMLParam p "%{reqenv:BY_RULE}"', PRIVATE, None),
    "when-address": ("GPUXMLWhen \"-R '127.0.0.0/8'\"", PRIVATE, None),
    "when-not-address": ("GPUXMLWhen \"! -R '127.0.0.0/8'\"", PRIVATE, None),
    "when-both": ("GPUXMLWhen \"%{HTTP:X-P} == '' && %{REMOTE_ADDR} -ipmatch '127.0.0.0/8'\"", PRIVATE, "X-P"),
    "when-access": ('GPUXMLWhen "-A \'/none.xml\'"', PRIVATE, None),
    "when-header": ("GPUXMLWhen \"%{HTTP:X-P} == '' && -z %{HTTP:X-Q}\"", SHARED, "X-P,X-Q"),
    "sheet": ('GPUXMLStylesheet "%{md5:%{REMOTE_ADDR}}.xsl"', PRIVATE, None),
    "off": ('GPUXMLParam p "%{REMOTE_ADDR}"\nGPUXMLPrivate off', SHARED, None),
    "if-user": (section("%{REMOTE_USER} == 'bob'"), PRIVATE, None),
    "if-address": (section("-R '127.0.0.0/8'"), PRIVATE, None),
    "if-not-address": (section("! -R '127.0.0.0/8'"), PRIVATE, None),
    "if-cookie": (section("%{HTTP_COOKIE} =~ /u=bob/"), SHARED, "Cookie"),
    "if-header": (section("-n %{HTTP:X-P} && %{HTTP:X-Q} == 'q'"), SHARED, "X-P,X-Q"),
    "if-uri": (section("%{REQUEST_URI} =~ /if/"), SHARED, None),
    "if-computed": (section("-n req(req('X-Name'))"), PRIVATE, "X-Name(,.*)?"),
    "if-env-header": (section("-n %{reqenv:BY_HEADER}"), SHARED, "X-Lang"),
    "if-env-address": (section("-n %{reqenv:BY_ADDR}"), PRIVATE, None),
    "if-env-own": (section("-n %{reqenv:ONLY_IF}"), SHARED, "X-Only"),
    "if-else": (section("%{REMOTE_USER} == 'bob'", "Header set X-A b", "<Else>\nGPUXMLParam p b\n</Else>"),
                PRIVATE, None),
    "if-elseif": (section("%{HTTP:X-P} == 'p'", "Header set X-A b",
                          "<ElseIf \"-R '10.0.0.0/8'\">\nGPUXMLParam p b\n</ElseIf>"), PRIVATE, "X-P"),
    "if-nested": (section("%{HTTP:X-P} == ''", section("%{REMOTE_USER} == 'bob'")), PRIVATE, "X-P"),
    "if-nested-other": (section("-n %{REMOTE_USER}", section("%{HTTP:X-P} == 'p'", "Header set X-A b")), SHARED, None),
    "if-header-only": (section("-R '127.0.0.0/8'", "Header set X-A b"), SHARED, None),
    "if-two": (section("-R '127.0.0.0/8'", "Header set X-A b") + section("%{HTTP:X-P} == 'p'"), SHARED, "X-P"),
    "if-off": (section("-R '127.0.0.0/8'") + "GPUXMLPrivate off", SHARED, None),
    "if-quotes": ("<If '%{REMOTE_USER} == \"bob\"'>\nGPUXMLParam p x\n</If>\n", PRIVATE, None),
    "if-macro": ("Use ByUser bob\n", PRIVATE, None),
    "on": ("GPUXMLPrivate on", PRIVATE, None),
}
CONF = """
GPUXMLEngine cpu
CacheRoot @ROOT@/run/cache
CacheEnable disk /cached
SetEnv SITE de
SetEnvIf X-Lang ^de BY_HEADER=de
SetEnvIf X-Only . ONLY_IF
<Macro ByUser $user>
    <If "%{REMOTE_USER} == '$user'">
        GPUXMLParam p $user
    </If>
</Macro>
BrowserMatch Mobile BY_AGENT
SetEnvIfNoCase Cookie "u=([a-z]+)" U=$1
SetEnvIf Request_URI env BY_URI=1
SetEnvIf Remote_Addr ^127 BY_ADDR=yes other
SetEnvIf X-Lang . BY_BOTH=1
SetEnvIf Remote_Host . BY_BOTH=2
SetEnvIf ^X- . BY_PATTERN
SetEnvIf BY_ADDR yes OF_ADDR=1
SetEnvIf BY_HEADER de OF_HEADER=1
<If "-R '127.0.0.0/8'">
    SetEnv IN_IF 1
</If>
RewriteEngine On
RewriteCond %{HTTP:X-Rule} .
RewriteRule . - [E=BY_RULE:%{REMOTE_ADDR}]
LogFormat "%{BY_HEADER}e" by_header
GPUXMLStylesheetRoot conf/xsl
<Location />
    GPUXMLStylesheet conf/xsl/x.xsl
</Location>
"""
for name, (text, _, _) in CASES.items():
    CONF += "<Location /%s.xml>\n%s\n</Location>\nAlias /%s.xml @ROOT@/htdocs/a.xml\n" % (name, text, name)
CONF += """
Alias /cached/user @ROOT@/htdocs/a.xml
<Location /cached/user>
    ForceType text/xml
    GPUXMLParam p "%{reqenv:BY_ADDR}%{reqenv:Q}"
</Location>
SetEnvIf ^X-User (.*) Q=$1
Alias /cached/header @ROOT@/htdocs/a.xml
<Location /cached/header>
    ForceType text/xml
    GPUXMLParam p "%{reqenv:U}"
</Location>
<Location /etag/>
    GPUXMLParam p "%{REMOTE_ADDR}"
    GPUXMLETag on
    GPUXMLLastModified source
</Location>
<Location /set/>
    GPUXMLParam p "%{REMOTE_ADDR}"
    Header set Cache-Control "public, max-age=60"
</Location>
<Location /failing/>
    GPUXMLParam p "%{REMOTE_ADDR}"
    GPUXMLOnError source=404
</Location>
<Location /htaccess/>
    GPUXMLParam p "%{reqenv:BY_HEADER}"
</Location>
<Location /part/>
    GPUXMLParam p "%{REMOTE_ADDR}"
</Location>
<Location /whole.xml>
    SetOutputFilter INCLUDES;GPUXSLT
</Location>
"""


def backend(r):
    answer(r, b"<a>1</a>", Cache_Control="public, max-age=600, s-maxage=60, must-revalidate",
           CDN_Cache_Control="max-age=60", Surrogate_Control="max-age=60", ETag='"s"',
           Last_Modified="Mon, 01 Jan 2024 00:00:00 GMT")


CONF += ('ProxyPass /p/ http://127.0.0.1:%d/\n<Location /p/private>\nGPUXMLParam p "%%{REMOTE_ADDR}"\n</Location>\n'
         % Backend(backend).port)
CONF += """
Alias /cached/if @ROOT@/htdocs/a.xml
<Location /cached/if>
    ForceType text/xml
    <If "%{QUERY_STRING} == '' && %{reqenv:Q} == 'bob'">
        GPUXMLParam p secret
    </If>
</Location>
"""
web = Httpd("private", CONF, modules=["cache", "cache_disk", "macro"], override="FileInfo")
web.put("htdocs/plain/if/.htaccess", section("%{HTTP:X-P} == 'p'"))
web.put("htdocs/plain/else/.htaccess", section("%{HTTP:X-P} == 'p'", "Header set X-A b", "<Else>\nGPUXMLParam p "
    "x\n</Else>"))
web.put("htdocs/plain/other/.htaccess", section("%{HTTP:X-P} == 'p'", "Header set X-A b"))
web.put("conf/xsl/x.xsl", sheet('<xsl:param name="p"/><xsl:template match="/"><o><xsl:value-of '
                                'select="$p"/></o></xsl:template>'))
web.put("conf/xsl/f528764d624db129b32c21fbca0cb8d6.xsl", sheet('<xsl:param name="p"/><xsl:template '
                                                               'match="/"><o/></xsl:template>'))
for name in ("", "etag/", "set/", "part/", "htaccess/", "htaccess/in/", "plain/if/", "plain/else/", "plain/other/",
             "switched/"):
    web.put("htdocs/%sa.xml" % name, "<a/>")
web.put("htdocs/failing/a.xml", "<a>")
web.put("htdocs/htaccess/in/.htaccess", "SetEnvIf Remote_Addr . BY_HEADER=x\n")
web.put("htdocs/whole.xml", '<a><!--#include virtual="/part/a.xml" --></a>')
os.makedirs(web.path("run/cache"))
with web:
    os.chmod(web.path("run/cache"), 0o777)
    for name, (text, private, vary) in CASES.items():
        a = web.get("/%s.xml" % name)
        is_((a.status, a["cache-control"], bool(a["etag"])),
            (200, "private" if private else None, not private or name == "when-not-address"),
            name + ": who may keep it")
        like(a["vary"] or "", "^%s$" % (vary or ""), name + ": Vary")
    is_([web.get("/cached/user", X_User=u).text.split("<o>")[1][:8] for u in ("alice", "bob")],
        ["yesalice", "yesbob</"], "mod_cache keeps no page that depends on what it does not see")
    a = [web.get("/cached/header", Cookie="u=" + u) for u in ("alice", "bob", "alice")]
    is_([x.text.split("<o>")[1].split("<")[0] for x in a], ["alice", "bob", "alice"],
        "... and by Vary the right one of those that it keeps")
    a = web.get("/etag/a.xml")
    is_((a["cache-control"], bool(a["etag"]), a["last-modified"]), ("private", True, None),
        "GPUXMLETag on: private, with an ETag")
    b = web.get("/etag/a.xml", If_None_Match=a["etag"] or "x")
    is_((b.status, b["cache-control"]), (304, "private"), "... and a 304 says private, too")
    is_(web.get("/set/a.xml")["cache-control"], "public, max-age=60", "what Header set says goes out")
    a = web.get("/failing/a.xml")
    is_((a.status, a["cache-control"]), (404, "private"), "an error of such a page")
    a = web.get("/htaccess/a.xml")
    is_((a["cache-control"], a["vary"]), (None, "X-Lang"), "a variable by a header")
    a = web.get("/htaccess/in/a.xml")
    is_((a["cache-control"], a["vary"]), ("private", "X-Lang"), "... which an .htaccess file may have set, too")
    for name, private in (("if", PRIVATE), ("else", PRIVATE), ("other", SHARED)):
        is_(web.get("/plain/%s/a.xml" % name)["cache-control"], "private" if private else None,
            "an <If> in .htaccess: " + name)
    is_([web.get("/cached/if", X_User=u).text.split("<o")[1].split("</o>")[0] for u in ("alice", "bob", "alice")],
        ["/>\n", ">secret", "/>\n"],
        "mod_cache keeps no page that depends on what an <If> reads")
    a = web.get("/whole.xml")
    is_((a["cache-control"], a["etag"]), ("private", None), "a page that includes such a page, and is transformed")
    a = web.get("/p/private")
    is_((a["cache-control"], a["cdn-cache-control"], a["surrogate-control"], a["etag"]),
        ("max-age=600, must-revalidate, private", None, None, None),
        "what a back end says of caches of many gives way")
    is_(web.get("/p/other")["cache-control"], "public, max-age=600, s-maxage=60, must-revalidate", "... only there")

for line, private, vary in (("SetEnvIf X-Raw . no-gpuxml", None, "X-Raw"),
                            ("SetEnvIf Remote_Addr ^10 no-gpuxml", "private", None), ("SetEnv no-gpuxml", None, None),
                            ("RewriteEngine On\nRewriteRule ^/(..)/ - [E=LANG:$1]\n", None, None)):
    web = Httpd("switched", line + '\n<Location />\nGPUXMLStylesheet conf/xsl/x.xsl\nGPUXMLParam p '
                                   '"%{env:LANG}"\nGPUXMLPrivate auto\n</Location>\n' if "LANG" in line
                else line + "\n<Location />\nGPUXMLStylesheet conf/xsl/x.xsl\n</Location>\n")
    web.put("conf/xsl/x.xsl", sheet('<xsl:param name="p"/><xsl:template match="/"><o><xsl:value-of '
                                    'select="$p"/></o></xsl:template>'))
    web.put("htdocs/de/a.xml", "<a/>")
    web.put("htdocs/de/a.txt", "text")
    with web:
        a, b = web.get("/de/a.xml"), web.get("/de/a.xml", X_Raw="1")
        is_([(x["cache-control"], x["vary"]) for x in (a, b)], [(private, vary)] * 2,
            line.split("\n")[-2 if "\n" in line else 0])
        is_((web.get("/de/a.txt")["cache-control"], web.get("/de/a.txt")["vary"]), (None, None),
            "... not of other types")

# ---- what an <If> makes a page of, or not ----

web = Httpd("private-if", """
GPUXMLEngine cpu
CacheRoot @ROOT@/run/cache
CacheEnable disk /user
SetEnvIf ^X-User (.*) USER=$1
<LocationMatch "^/(user|p/user)">
    <If "%%{reqenv:USER} == 'bob'">
        GPUXMLStylesheet conf/xsl/x.xsl
    </If>
</LocationMatch>
<LocationMatch "^/(accept|p/accept)">
    <If "%%{HTTP_ACCEPT} =~ /html/">
        GPUXMLStylesheet conf/xsl/x.xsl
    </If>
</LocationMatch>
ProxyPass /p/ http://127.0.0.1:%d/
""" % Backend(lambda r: answer(r, b"<a>1</a>", ETag='"s"')).port, modules=["cache", "cache_disk"])
web.put("conf/xsl/x.xsl", sheet('<xsl:template match="/"><o/></xsl:template>'))
os.makedirs(web.path("run/cache"))
for name in ("user", "accept"):
    web.put("htdocs/%s/a.xml" % name, "<a>1</a>")
    web.put("htdocs/%s/a.txt" % name, "text")
with web:
    os.chmod(web.path("run/cache"), 0o777)
    for where in ("", "/p"):
        got = [web.get(where + "/user/a.xml", X_User=u) for u in ("alice", "bob", "alice")]
        is_([("<o/>" in a.text, a["cache-control"]) for a in got],
            [(False, "private"), (True, "private"), (False, "private")],
            "a stylesheet for one user%s: page and source are private" % (", behind a proxy" if where else ""))
        got = [web.get(where + "/accept/a.xml", Accept=t) for t in ("text/xml", "text/html")]
        is_([("<o/>" in a.text, a["cache-control"], a["vary"]) for a in got],
            [(False, None, "Accept"), (True, None, "Accept")],
            "... for some types that are accepted%s: Vary" % (", behind a proxy" if where else ""))
    a = web.get("/user/a.txt", X_User="alice")
    is_((a.text, a["cache-control"]), ("text", None), "... other types are everybody's")
    a = web.get("/user/a.xml", X_User="alice")
    is_(web.get("/user/a.xml", X_User="alice", If_None_Match=a["etag"]).status, 304,
        "the source's own conditions are answered")
    is_(web.get("/user/a.xml", X_User="alice", Range="bytes=0-2").status, 206, "... and ranges")
done()
