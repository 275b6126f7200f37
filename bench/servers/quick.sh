#!/bin/sh
# A good server that starts in a millisecond: where many are started, what is measured is the client.
# quick.sh [TEXT]: the text of its results.
while IFS= read -r line; do
  id=${line#*\"id\":}
  [ "$id" = "$line" ] && continue
  id=${id%%[,\}]*}
  case $line in
  *'"method":"initialize"'*)
    version=${line#*\"protocolVersion\":\"}
    version=${version%%\"*}
    result='"result":{"protocolVersion":"'$version'","capabilities":{"tools":{}},"serverInfo":{"name":"quick","version":"1.0.0"}}' ;;
  *'"method":"tools/list"'*)
    result='"result":{"tools":[{"name":"echo","description":"The tool echo.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}},{"name":"produce","description":"The tool produce.","inputSchema":{"type":"object","properties":{"bytes":{"type":"number"}}}}]}' ;;
  *'"method":"tools/call"'*)
    result='"result":{"content":[{"type":"text","text":"'${1:-called}'"}]}' ;;
  *'"method":"ping"'*)
    result='"result":{}' ;;
  *)
    result='"error":{"code":-32601,"message":"Method not found"}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$result"
done
