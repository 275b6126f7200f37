import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bundleScript, runScript } from '../support/programs/processes.ts'
import { serveMcp } from '../support/remote.ts'
import type { McpRequest } from '../support/remote.ts'

const MiB = 1024 * 1024
const stream = { 'content-type': 'text/event-stream' }

const toolOf = ({ message }: McpRequest) => message.params?.['name']

/** Sends an event of 17 MiB whose lines have one character each. */
async function sendTinyLines({ response }: McpRequest): Promise<void> {
  response.on('error', () => undefined).writeHead(200, stream)
  const lines = 'data: x\n'.repeat(8 * 1024)
  for (let sent = 0; sent < 17 * MiB && !response.destroyed; sent += lines.length)
    if (!response.write(lines)) await Promise.race([once(response, 'drain'), once(response, 'close')])
  response.end('\n')
}

/** Sends a long answer, formatted over many lines of data. */
function sendFormatted({ response, message }: McpRequest): void {
  const content = Array.from({ length: 5000 }, (_, at) => ({ type: 'text', text: `line ${at}` }))
  const json = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content } }, undefined, 1)
  const data = json.split('\n').map((line) => `data: ${line}\n`)
  response.writeHead(200, stream).end(`event: message\n${data.join('')}\n`)
}

test('FI-88 eight events of very many tiny lines at once are refused at the limit, in a small heap', async () => {
  const server = await serveMcp({
    'tools/call': (asked) => {
      if (toolOf(asked) === 'tiny-lines') return sendTinyLines(asked)
      return toolOf(asked) === 'formatted' ? sendFormatted(asked) : asked.answer()
    },
  })
  const home = mkdtempSync(join(tmpdir(), 'plugboard-events-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const config = join(home, 'servers.json')
  writeFileSync(config, JSON.stringify({ mcpServers: { x: { type: 'http', url: server.url.href } } }))
  const eight = (text: string) => Array.from({ length: 8 }, () => text)
  const calls = ['formatted', ...eight('tiny-lines'), 'formatted']
  const script = runScript(
    await bundleScript('host-process.ts'),
    ['flood', home, config, JSON.stringify({ calls })],
    {
      env: { NODE_OPTIONS: '--max-old-space-size=128' },
    },
  )
  const line = await script.nextLine()
  expect(await script.ended).toEqual({ code: 0, signal: null })
  const { ends, grown } = JSON.parse(line ?? '') as {
    readonly ends: readonly unknown[]
    readonly grown: number
  } // printed by the script
  const formatted = 43_890
  expect(ends).toEqual([formatted, ...eight('call.too-large'), formatted, 'did still-here'])
  expect(grown).toBeLessThan(3 * 8 * 16 * MiB)
}, 60_000)
