<x:stylesheet version="1.0" xmlns:x="http://www.w3.org/1999/XSL/Transform" xmlns="urn:default" xmlns:a="urn:a" xmlns:b="urn:b"
  xmlns:e="urn:extension" xmlns:out="urn:alias" exclude-result-prefixes="a" extension-element-prefixes="e">
<x:namespace-alias stylesheet-prefix="out" result-prefix="x"/>
<x:template match="/">
  <r a:x="1" b:y="2" z="3"/>
  <a:r xmlns:c="urn:c"><c:s x:exclude-result-prefixes="c #default"/></a:r>
  <out:template out:name="n"/>
  <e:unknown/>
  <e:unknown><x:fallback>one</x:fallback><x:fallback>two</x:fallback></e:unknown>
  <r xmlns=""/>
</x:template>
<x:template match="default"><x:element name="in-default"/><x:attribute name="not"/></x:template>
</x:stylesheet>
