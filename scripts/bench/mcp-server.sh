# An MCP server that answers `initialize` after 50 ms and offers one tool. A shell costs less to start than Node.
while IFS= read -r line; do
  id=${line#*\"id\":}
  id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*)
      sleep 0.05
      printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}}\n' "$id"
      ;;
    *'"tools/list"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","description":"Looks.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}]}}\n' "$id"
      ;;
  esac
done
