#!/bin/sh
# A good server whose list of tools is the text of a file, without a line end in it.
while IFS= read -r line; do
  id=${line#*\"id\":}
  [ "$id" = "$line" ] && continue
  id=${id%%[,\}]*}
  case $line in
  *'"method":"initialize"'*)
    version=${line#*\"protocolVersion\":\"}
    version=${version%%\"*}
    printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"%s","capabilities":{"tools":{}},"serverInfo":{"name":"many","version":"1.0.0"}}}\n' "$id" "$version" ;;
  *'"method":"tools/list"'*)
    printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":' "$id"
    cat "$1"
    printf '}}\n' ;;
  *'"method":"ping"'*)
    printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id" ;;
  *)
    printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\n' "$id" ;;
  esac
done
