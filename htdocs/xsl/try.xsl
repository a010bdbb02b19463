<?xml version="1.0" encoding="UTF-8"?>
<!-- The editor: try.js sends what is in it to /run and shows what comes back. The examples are the document's. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="page.xsl"/>
<xsl:variable name="page" select="'try'"/>

<xsl:template match="try" mode="title">Try a stylesheet</xsl:template>
<xsl:template match="try" mode="scripts"><script src="/try.js" defer="defer"></script></xsl:template>
<xsl:template match="try" mode="class">wide-page</xsl:template>

<xsl:template match="try" mode="main">
  <h1>Try a stylesheet</h1>
  <p class="lead"><xsl:value-of select="lead"/></p>
  <noscript><p class="lead">The editor needs JavaScript.</p></noscript>
  <form id="editor">
    <div class="editor-bar">
      <label>Example: <select id="example" aria-label="Example"><xsl:for-each select="example"><option value="{position()}"><xsl:value-of select="@title"/></option></xsl:for-each></select></label>
      <button class="button" type="submit" title="Ctrl-Enter">Run</button>
      <output id="state" role="status">It runs as you type.</output>
    </div>
    <div class="panes">
      <xsl:call-template name="pane"><xsl:with-param name="id" select="'sheet'"/><xsl:with-param name="label" select="'Stylesheet'"/></xsl:call-template>
      <xsl:call-template name="pane"><xsl:with-param name="id" select="'document'"/><xsl:with-param name="label" select="'Document'"/></xsl:call-template>
    </div>
  </form>
  <div class="speed" id="speed" hidden="hidden"></div>
  <div class="pane result">
    <div class="tabs" role="tablist" aria-label="What came out">
      <xsl:for-each select="tab">
        <button type="button" role="tab" id="tab-{@name}" aria-controls="panel-{@name}" aria-selected="{position() = 1}"><xsl:if test="position() != 1"><xsl:attribute name="tabindex">-1</xsl:attribute></xsl:if><xsl:value-of select="."/></button>
      </xsl:for-each>
    </div>
    <xsl:for-each select="tab">
      <div role="tabpanel" id="panel-{@name}" aria-labelledby="tab-{@name}" tabindex="0"><xsl:if test="position() != 1"><xsl:attribute name="hidden">hidden</xsl:attribute></xsl:if><p class="none">Nothing yet.</p></div>
    </xsl:for-each>
  </div>
  <xsl:for-each select="example">
    <textarea hidden="hidden" id="sheet-{position()}"><xsl:value-of select="sheet"/></textarea>
    <textarea hidden="hidden" id="document-{position()}"><xsl:value-of select="document"/></textarea>
  </xsl:for-each>
</xsl:template>

<xsl:template name="pane">
  <xsl:param name="id"/>
  <xsl:param name="label"/>
  <div class="pane">
    <label for="{$id}"><xsl:value-of select="$label"/></label>
    <div class="code"><pre aria-hidden="true"></pre><textarea id="{$id}" spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off"></textarea></div>
  </div>
</xsl:template>
</xsl:stylesheet>
