/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entities.c -- the entities of XHTML, HTML 4 and RSS 0.91 (whose DTD has Latin 1), for documents whose DTD nobody
 * reads
 *
 * Browsers do not read the DTD of an XHTML document either: they know its public identifier, and with that the names
 * that it would declare (HTML, "Parsing XML documents"). A document that a browser showed must not fail here for its
 * &nbsp;.
 *
 * The text is a DTD's: Expat reads it in the place of the file. The entities that XML itself has are not in it.
 */
#include <stdlib.h>
#include <string.h>
#include "entities.h"

#define E(name, code) "<!ENTITY " #name " \"&#" #code ";\">"

/* HTML 4.01, 24.2: characters of ISO 8859-1; 24.3: symbols, mathematical ones and Greek letters; 24.4:
 * markup-significant and internationalization */
#define LATIN_1 \
    E(nbsp, 160) \
    E(iexcl, 161) E(cent, 162) E(pound, 163) E(curren, 164) E(yen, 165) E(brvbar, 166) E(sect, 167) E(uml, 168) \
        E(copy, 169) E(ordf, 170) E(laquo, 171) E(not, 172) E(shy, 173) E(reg, 174) E(macr, 175) E(deg, 176) \
            E(plusmn, 177) E(sup2, 178) E(sup3, 179) E(acute, 180) E(micro, 181) E(para, 182) E(middot, 183) \
                E(cedil, 184) E(sup1, 185) E(ordm, 186) E(raquo, 187) E(frac14, 188) E(frac12, 189) E(frac34, 190) \
                    E(iquest, 191) E(Agrave, 192) E(Aacute, 193) E(Acirc, 194) E(Atilde, 195) E(Auml, 196) \
                        E(Aring, 197) E(AElig, 198) E(Ccedil, 199) E(Egrave, 200) E(Eacute, 201) E(Ecirc, 202) \
                            E(Euml, 203) E(Igrave, 204) E(Iacute, 205) E(Icirc, 206) E(Iuml, 207) E(ETH, 208) \
                                E(Ntilde, 209) E(Ograve, 210) E(Oacute, 211) E(Ocirc, 212) E(Otilde, 213) E(Ouml, 214) \
                                    E(times, 215) E(Oslash, 216) E(Ugrave, 217) E(Uacute, 218) E(Ucirc, 219) \
                                        E(Uuml, 220) E(Yacute, 221) E(THORN, 222) E(szlig, 223) E(agrave, 224) \
                                            E(aacute, 225) E(acirc, 226) E(atilde, 227) E(auml, 228) E(aring, 229) \
                                                E(aelig, 230) E(ccedil, 231) E(egrave, 232) E(eacute, 233) \
                                                    E(ecirc, 234) E(euml, 235) E(igrave, 236) E(iacute, 237) \
                                                        E(icirc, 238) E(iuml, 239) E(eth, 240) E(ntilde, 241) \
                                                            E(ograve, 242) E(oacute, 243) E(ocirc, 244) E(otilde, 245) \
                                                                E(ouml, 246) E(divide, 247) E(oslash, 248) \
                                                                    E(ugrave, 249) E(uacute, 250) E(ucirc, 251) \
                                                                        E(uuml, 252) E(yacute, 253) E(thorn, 254) \
                                                                            E(yuml, 255)
#define SYMBOLS \
    E(fnof, 402) \
    E(Alpha, 913) E(Beta, 914) E(Gamma, 915) E(Delta, 916) E(Epsilon, 917) E(Zeta, 918) E(Eta, 919) E(Theta, 920) \
        E(Iota, 921) E(Kappa, 922) E(Lambda, 923) E(Mu, 924) E(Nu, 925) E(Xi, 926) E(Omicron, 927) E(Pi, 928) E( \
            Rho, 929) E(Sigma, 931) E(Tau, 932) E(Upsilon, 933) E(Phi, 934) E(Chi, 935) E(Psi, 936) E(Omega, 937) \
            E(alpha, 945) E(beta, 946) E(gamma, 947) E(delta, 948) E(epsilon, 949) E(zeta, 950) E(eta, 951) E(theta, \
                                                                                                              952) \
                E(iota, 953) E(kappa, 954) E(lambda, 955) E(mu, 956) E(nu, 957) E(xi, 958) E(omicron, 959) \
                    E(pi, 960) E(rho, 961) E(sigmaf, 962) E(sigma, 963) E(tau, 964) E(upsilon, 965) E(phi, 966) E( \
                        chi, 967) E(psi, 968) \
                        E(omega, 969) E(thetasym, 977) E(upsih, 978) E(piv, 982) E(bull, 8226) E(hellip, 8230) E( \
                            prime, 8242) E(Prime, 8243) \
                            E(oline, 8254) E(frasl, 8260) E(image, 8465) E(weierp, 8472) E(real, 8476) E(trade, 8482) \
                                E(alefsym, 8501) E(larr, 8592) E(uarr, 8593) E(rarr, 8594) E(darr, 8595) E(harr, 8596) \
                                    E(crarr, 8629) E(lArr, 8656) E(uArr, 8657) E(rArr, 8658) E(dArr, 8659) \
                                        E(hArr, 8660) E(forall, 8704) E(part, 8706) E(exist, 8707) E(empty, 8709) E( \
                                            nabla, 8711) E(isin, 8712) \
                                            E(notin, 8713) E(ni, 8715) E(prod, 8719) E(sum, 8721) \
                                                E(minus, 8722) E(lowast, 8727) E(radic, 8730) \
                                                    E(prop, 8733) E(infin, 8734) E(ang, 8736) E(and, 8743) E(or, 8744) \
                                                        E(cap, 8745) E(cup, 8746) E(int, 8747) E(there4, 8756) \
                                                            E(sim, 8764) E(cong, 8773) E(asymp, 8776) E(ne, 8800) \
                                                                E(equiv, 8801) E(le, 8804) E(ge, 8805) E(sub, 8834) \
                                                                    E(sup, 8835) E(nsub, 8836) E(sube, \
                                                                                                 8838) E(supe, 8839) \
                                                                        E(oplus, 8853) E(otimes, 8855) E(perp, 8869) \
                                                                            E(sdot, 8901) E(lceil, 8968) \
                                                                                E(rceil, 8969) E(lfloor, \
                                                                                                 8970) E(rfloor, 8971) \
                                                                                    E(lang, 9001) E(rang, 9002) \
                                                                                        E(loz, 9674) E(spades, 9824) \
                                                                                            E(clubs, 9827) \
                                                                                                E(hearts, 9829) \
                                                                                                    E(diams, 9830)
#define SPECIAL \
    E(OElig, 338) \
    E(oelig, 339) E(Scaron, 352) E(scaron, 353) E(Yuml, 376) E(circ, 710) E(tilde, 732) E(ensp, 8194) E(emsp, 8195) \
        E(thinsp, 8201) E(zwnj, 8204) E(zwj, 8205) E(lrm, 8206) E(rlm, 8207) E(ndash, 8211) E(mdash, 8212) \
            E(lsquo, 8216) E(rsquo, 8217) E(sbquo, 8218) E(ldquo, 8220) E(rdquo, 8221) E(bdquo, 8222) E(dagger, 8224) \
                E(Dagger, 8225) E(permil, 8240) E(lsaquo, 8249) E(rsaquo, 8250) E(euro, 8364)

static const char all[] = LATIN_1 SYMBOLS SPECIAL;

/* Slices of it: a set must not declare what its reader declares after it. */
static const struct { const char *public_id; int is_prefix; size_t from, size; } known[] = {
    { "-//W3C//DTD XHTML ", 1, 0, sizeof all - 1 },
    { "-//WAPFORUM//DTD XHTML Mobile ", 1, 0, sizeof all - 1 },
    { "-//Netscape Communications//DTD RSS 0.91//EN", 0, 0, sizeof LATIN_1 - 1 },
    { "-//W3C//ENTITIES XHTML Character Entities 1.0//EN", 0, 0, sizeof all - 1 },
    { "-//W3C//ENTITIES Latin 1 for XHTML//EN", 0, 0, sizeof LATIN_1 - 1 },
    { "-//W3C//ENTITIES Latin1//EN//HTML", 0, 0, sizeof LATIN_1 - 1 },
    { "-//W3C//ENTITIES Full Latin 1//EN//HTML", 0, 0, sizeof LATIN_1 - 1 },
    { "-//W3C//ENTITIES Symbols for XHTML//EN", 0, sizeof LATIN_1 - 1, sizeof SYMBOLS - 1 },
    { "-//W3C//ENTITIES Symbols//EN//HTML", 0, sizeof LATIN_1 - 1, sizeof SYMBOLS - 1 },
    { "-//W3C//ENTITIES Special for XHTML//EN", 0, sizeof LATIN_1 SYMBOLS - 1, sizeof SPECIAL - 1 },
    { "-//W3C//ENTITIES Special//EN//HTML", 0, sizeof LATIN_1 SYMBOLS - 1, sizeof SPECIAL - 1 },
};

const char *gx_entities_known(const char *public_id, size_t *size)
{
    for (size_t i = 0; public_id && i < sizeof known / sizeof *known; i++)
        if (known[i].is_prefix ? !strncmp(public_id, known[i].public_id, strlen(known[i].public_id))
                               : !strcmp(public_id, known[i].public_id)) {
            *size = known[i].size;
            return all + known[i].from;
        }
    return NULL;
}

const char *gx_entities_all(size_t *size)
{
    *size = sizeof all - 1;
    return all;
}

int gx_entities_code(const char *name, size_t len, unsigned *code)
{
    size_t size;
    const char *at = gx_entities_all(&size);
    for (; (at = strstr(at, "<!ENTITY ")) != NULL; at++) {
        const char *its = at + 9;
        if (strncmp(its, name, len) == 0 && strncmp(its + len, " \"&#", 4) == 0) {
            *code = (unsigned)strtoul(its + len + 4, NULL, 10);
            return *code != 0;
        }
    }
    return 0;
}
