#!/bin/sh
# A legacy server without a runtime, so that two dozen of them are cheap: `pid` says its process, `crash` ends it.
while IFS= read -r line; do
  case $line in *'"id":'*) ;; *) continue ;; esac
  id=${line##*'"id":'}
  id=${id%%[,\}]*}
  case $line in
  *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"small","version":"1"}}' ;;
  *'"tools/list"'*) result='{"tools":[{"name":"pid","inputSchema":{"type":"object"}},{"name":"crash","inputSchema":{"type":"object"}}]}' ;;
  *'"name":"pid"'*) result="{\"content\":[{\"type\":\"text\",\"text\":\"$$\"}]}" ;;
  *'"name":"crash"'*) exit 3 ;;
  *)
    printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\n' "$id"
    continue
    ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
