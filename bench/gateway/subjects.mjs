import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const here = (file) => fileURLToPath(new URL(file, import.meta.url))

/** Several servers behind one address, or one only. */
export const subjects = {
  'node-http': {
    title: 'no gateway: the server itself behind `node:http`',
    start: async () => {
      const port = await freePort()
      return {
        argv: [process.execPath, here('raw-server.mjs'), String(port)],
        url: `http://127.0.0.1:${port}/mcp`,
      }
    },
  },
  least: {
    title: 'the least gateway on `node:http`, without any check',
    start: async (servers) => {
      const port = await freePort()
      return {
        argv: [process.execPath, here('least-gateway.mjs'), String(port), JSON.stringify(servers)],
        url: `http://127.0.0.1:${port}/mcp`,
        prefix: true,
      }
    },
  },
  plugboard: { title: 'Plugboard', isAggregator: true, start: (servers) => plugboard(servers, {}) },
  'plugboard-unscanned': {
    title: 'Plugboard, `accept: "off"`',
    isAggregator: true,
    start: (servers) => plugboard(servers, { accept: 'off' }),
  },
  'sdk-v2': {
    title: 'bare SDK v2 gateway',
    isAggregator: true,
    start: async (servers) => {
      const port = await freePort()
      return {
        argv: [process.execPath, here('sdk-gateway.mjs'), String(port), JSON.stringify(servers)],
        url: `http://127.0.0.1:${port}/mcp`,
        prefix: true,
      }
    },
  },
  'mcp-proxy': {
    title: 'mcp-proxy',
    start: async (servers) => {
      const port = await freePort()
      const bin = here('node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs')
      return {
        argv: [
          process.execPath,
          bin,
          '--host',
          '127.0.0.1',
          '--port',
          String(port),
          '--server',
          'stream',
          '--',
          ...only(servers),
        ],
        url: `http://127.0.0.1:${port}/mcp`,
      }
    },
  },
  supergateway: {
    title: 'supergateway `--stateful`',
    start: async (servers) => {
      const port = await freePort()
      const bin = here('node_modules/supergateway/dist/index.js')
      const options = [
        '--outputTransport',
        'streamableHttp',
        '--stateful',
        '--port',
        String(port),
        '--logLevel',
        'none',
      ]
      return {
        argv: [process.execPath, bin, '--stdio', only(servers).join(' '), ...options],
        url: `http://127.0.0.1:${port}/mcp`,
      }
    },
  },
}

function only(servers) {
  return Object.values(servers)[0]
}

/** A home of its own, so that nothing is known from an earlier run. */
async function plugboard(servers, settings) {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-bench-gateway-'))
  mkdirSync(join(home, '.config/plugboard'), { recursive: true })
  mkdirSync(join(home, 'work'))
  writeFileSync(join(home, '.config/plugboard/settings.json'), JSON.stringify(settings))
  const mcpServers = Object.fromEntries(
    Object.entries(servers).map(([name, [command, ...args]]) => [name, { command, args }]),
  )
  writeFileSync(join(home, '.config/plugboard/mcp.json'), JSON.stringify({ mcpServers }))
  const port = await freePort()
  return {
    argv: [
      process.execPath,
      join(root, 'dist/cli/plugboard.cjs'),
      'gateway',
      '--port',
      String(port),
      '--json',
    ],
    url: `http://127.0.0.1:${port}/mcp`,
    cwd: join(home, 'work'),
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', XDG_CACHE_HOME: '' },
    prefix: true,
    home,
    /** The token is in what it prints. */
    tokenIn: (output) => /"token": "([^"]+)"/.exec(output)?.[1],
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
