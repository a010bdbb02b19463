<stylesheet version="1.0" xmlns="http://www.w3.org/1999/XSL/Transform">
<!-- element-available(): a name without a prefix is in the default namespace, as elements are, also where it is computed.
     function-available(): what nobody can call is not there. -->
<output method="text"/>
<template match="/">
<value-of select="concat(element-available('if'), element-available(concat('i', 'f')), element-available(concat('no', 'such')))"/>,
<value-of select="concat(function-available('key'), function-available(concat('ke', 'y')))"/>,
<value-of select="concat(function-available('key[1]'), function-available(concat('key', '[1]')), function-available('count(key)'))"/>,
</template></stylesheet>
