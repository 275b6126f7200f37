import { expect, test } from 'vitest'
import { nameOfAddress, nameOfCommand } from './given-name.ts'

test.each([
  ['npx -y @modelcontextprotocol/server-everything stdio', 'everything'],
  ['npx -y some-mcp@1.2.3', 'some'],
  ['uvx mcp-server-fetch', 'fetch'],
  ['python -m mcp_server_time', 'time'],
  ['docker run -i --rm ghcr.io/acme/weather:2', 'weather'],
  ['node dist/main.js', 'main'],
  ['/opt/bin/github-mcp-server stdio', 'github'],
  ['C:\\tools\\notes.exe', 'notes'],
  ['node -e run(1)', 'node'],
  ['node -e 1', 'node'],
  ['python3 -c x', 'python3'],
  ['node', 'node'],
  ['mcp', 'mcp'],
  ['"', 'server'],
])('the name of %s is %s', (line, name) => {
  expect(nameOfCommand(line.split(' '))).toBe(name)
})

test.each([
  ['https://mcp.context7.com/mcp', 'context7'],
  ['https://docs.example.com/mcp', 'docs'],
  ['http://localhost:3000/mcp', 'localhost'],
  ['http://127.0.0.1:3000/mcp', 'server'],
  ['http://[::1]:3000/mcp', 'server'],
  ['${URL}', 'server'],
])('the name of %s is %s', (url, name) => {
  expect(nameOfAddress(url)).toBe(name)
})
