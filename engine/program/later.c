/* SPDX-License-Identifier: Apache-2.0 */
/*
 * later.c -- the names that XSLT 1.1 to 3.0 and XPath 2.0 to 3.1 added, for messages
 *
 * Each list is one string of words between spaces.
 */
#include <string.h>
#include "later.h"

typedef struct list { const char *version, *words; } list;

static const list elements[] = {
    { "XSLT 1.1", " document script " }, /* XSLT 2.0 has an xsl:document too, but seldom is it meant */
    { "XSLT 2.0",
      " analyze-string character-map for-each-group function import-schema matching-substring namespace next-match "
      "non-matching-substring output-character perform-sort result-document sequence " },
    { "XSLT 3.0",
      " accept accumulator accumulator-rule array assert break catch context-item evaluate expose fork "
      "global-context-item "
      "iterate map map-entry merge merge-action merge-key merge-source mode next-iteration on-completion on-empty "
      "on-non-empty "
      "override package select source-document stream switch try use-package where-populated " }
};
static const list attributes[] = {
    { "XSLT 2.0",
      " as byte-order-mark collation copy-namespaces default-collation default-validation escape-uri-attributes "
      "group-adjacent "
      "group-by group-ending-with group-starting-with include-content-type inherit-namespaces input-type-annotations "
      "normalization-form ordinal output-version override regex required select separator stable tunnel type "
      "undeclare-prefixes "
      "use-character-maps use-when validation xpath-default-namespace " },
    { "XSLT 3.0",
      " allow-duplicate-names build-tree composite default-mode error-code expand-text html-version item-separator "
      "json-node-output-method on-multiple-match on-no-match parameter-document start-at static streamable "
      "streamability "
      "suppress-indentation visibility " }
};
static const list functions[] = {
    { "XPath 2.0",
      " abs adjust-date-to-timezone adjust-dateTime-to-timezone adjust-time-to-timezone avg base-uri codepoint-equal "
      "codepoints-to-string collection compare current-date current-dateTime current-time data dateTime day-from-date "
      "day-from-dateTime days-from-duration deep-equal default-collation distinct-values doc doc-available "
      "document-uri empty "
      "encode-for-uri ends-with error escape-html-uri exactly-one exists hours-from-dateTime hours-from-duration "
      "hours-from-time idref if implicit-timezone in-scope-prefixes index-of insert-before iri-to-uri "
      "local-name-from-QName "
      "lower-case matches max min minutes-from-dateTime minutes-from-duration minutes-from-time month-from-date "
      "month-from-dateTime months-from-duration namespace-uri-for-prefix namespace-uri-from-QName nilled node-name "
      "normalize-unicode one-or-more prefix-from-QName QName remove replace resolve-QName resolve-uri reverse root "
      "round-half-to-even seconds-from-dateTime seconds-from-duration seconds-from-time static-base-uri string-join "
      "string-to-codepoints subsequence timezone-from-date timezone-from-dateTime timezone-from-time tokenize trace "
      "unordered upper-case year-from-date year-from-dateTime years-from-duration zero-or-one " },
    { "XSLT 2.0",
      " current-group current-grouping-key format-date format-dateTime format-time regex-group type-available "
      "unparsed-entity-public-id unparsed-text unparsed-text-available " },
    { "XPath 3.0",
      " analyze-string available-environment-variables element-with-id environment-variable filter fold-left "
      "fold-right "
      "for-each for-each-pair format-integer function-arity function-lookup function-name has-children head innermost "
      "outermost parse-xml parse-xml-fragment path serialize tail unparsed-text-lines uri-collection " },
    { "XPath 3.1",
      " apply array collation-key contains-token default-language json-doc json-to-xml load-xquery-module map "
      "parse-ietf-date "
      "parse-json random-number-generator sort transform xml-to-json " },
    { "XSLT 3.0",
      " accumulator-after accumulator-before available-system-properties copy-of current-merge-group current-merge-key "
      "current-output-uri snapshot stream-available " }
};

static const char *find(const list *lists, size_t n, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i < n; i++)
        for (const char *at = lists[i].words + 1; *at; at += strcspn(at, " ") + 1)
            if (!strncmp(at, word, len) && at[len] == ' ')
                return lists[i].version;
    return NULL;
}
#define FIND(lists, word) find(lists, sizeof lists / sizeof *lists, word)

const char *gx_later_element(const char *local) { return FIND(elements, local); }
const char *gx_later_attribute(const char *local) { return FIND(attributes, local); }
const char *gx_later_function(const char *local) { return FIND(functions, local); }

int gx_name_near(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    if (!*a && !*b)
        return 0;                               /* the same */
    return (*a && !strcmp(a + 1, b)) || (*b && !strcmp(a, b + 1)) || (*a && *b && !strcmp(a + 1, b + 1))
        || (*a && *b && a[0] == b[1] && a[1] == b[0] && !strcmp(a + 2, b + 2));
}
