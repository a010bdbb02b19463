<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" encoding="UTF-8" indent="no"/>
<xsl:template match="/">
  <html>
    <head><title>Items</title></head>
    <body>
      <table>
        <tr><th>Item</th><th>Name</th><th>From</th><th>Payment</th><th>Mails</th></tr>
        <xsl:for-each select="//item">
          <tr>
            <td><xsl:value-of select="@id"/></td>
            <td><xsl:value-of select="name"/></td>
            <td><xsl:value-of select="location"/></td>
            <td><xsl:value-of select="payment"/></td>
            <td><xsl:value-of select="count(mailbox/mail)"/></td>
          </tr>
        </xsl:for-each>
      </table>
    </body>
  </html>
</xsl:template>
</xsl:stylesheet>
