import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { login } from '../../dist/auth.js'
import { createHost } from '../../dist/index.js'

// The client side of one scenario of the official suite: `node client.mjs PROTOCOL URL`, the rest comes in the environment.
const [protocol, url] = process.argv.slice(2)
const scenario = process.env.MCP_CONFORMANCE_SCENARIO
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const { toolCalls = [] } = context

/** What the person who wrote the entry knows about logging in. */
const logins = {
  'auth/basic-cimd': {
    type: 'oauth',
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
  },
  'auth/pre-registration': {
    type: 'oauth',
    clientId: context.client_id,
    clientSecret: context.client_secret,
    issuer: context.issuer,
  },
  'auth/client-credentials-basic': {
    type: 'oauth',
    grantType: 'client_credentials',
    clientId: context.client_id,
    clientSecret: context.client_secret,
  },
  'auth/client-credentials-jwt': {
    type: 'oauth',
    grantType: 'client_credentials',
    clientId: context.client_id,
    privateKey: context.private_key_pem,
    algorithm: context.signing_algorithm,
  },
  'auth/enterprise-managed-authorization': {
    type: 'oauth',
    identityProvider: 'company',
    clientId: context.client_id,
    clientSecret: context.client_secret,
  },
  'auth/wif-jwt-bearer': {
    type: 'oauth',
    grantType: 'jwt-bearer',
    clientId: context.client_id,
    assertion: '{file:~/workload.jwt}',
  },
}

/** What the settings of the person, or the machine of the program, hold. */
const files = {
  'auth/enterprise-managed-authorization': () => ({
    '.config/plugboard/settings.json': JSON.stringify({
      identityProviders: {
        company: {
          issuer: context.idp_issuer,
          tokenEndpoint: context.idp_token_endpoint,
          clientId: context.idp_client_id,
          idToken: '{file:~/identity.jwt}',
        },
      },
    }),
    'identity.jwt': `${context.idp_id_token}\n`,
  }),
  'auth/wif-jwt-bearer': () => ({ 'workload.jwt': `${context.valid_jwt}\n` }),
}

const scenarios = {
  initialize: (server) => server.tools(),
  tools_call: (server) => server.tools().then(() => server.call('add_numbers', { a: 5, b: 3 })),
  'elicitation-sep1034-client-defaults': (server) => server.callAll(),
  'sse-retry': (server) => server.callAll(),
  'request-metadata': (server) => server.tools().then(() => server.call('anything', {})),
  'json-schema-ref-no-deref': (server) => server.tools(),
  'http-invalid-tool-headers': (server) => server.callAll(),

  async 'json-schema-2020-12-preservation'(server) {
    const [focal] = await server.tools()
    await server.call('json_schema_echo', { schema: focal.inputSchema })
  },

  /** One call after another, and one beside them: what a round carries must not leak into another call. */
  async 'sep-2322-client-request-state'(server) {
    await server.tools()
    await Promise.all([
      server.call('test_mrtr_echo_state', {}),
      server.call('test_mrtr_unrelated', {}),
      server.call('test_mrtr_no_state', {}),
    ])
    await server.call('test_mrtr_no_result_type', {})
  },

  async 'http-standard-headers'(server) {
    await server.callAll()
    const { resources } = await server.request('resources/list')
    for (const { uri } of resources) await server.request('resources/read', { uri })
    const { prompts } = await server.request('prompts/list')
    for (const { name } of prompts) await server.request('prompts/get', { name })
  },

  /** Lists skills and loads none. */
  'sep-2640-client-no-prefetch': (server, host) => host.ready({ servers: ['suite'], from: 'servers' }),
  'sep-2640-client-verify-digest': loadSkills,
  'sep-2640-client-verify-size': loadSkills,
  'sep-2640-client-verify-frontmatter': loadSkills,

  async 'http-custom-headers'(server) {
    await server.tools()
    for (const { name, arguments: args } of toolCalls) await server.call(name, args)
  },
}

/** A model that loads every skill, and then reads its other files. */
async function loadSkills(server, host) {
  await host.ready({ servers: ['suite'], from: 'servers' })
  for (const { ref, files } of host.skills()) {
    await host.loadSkill(ref)
    for (const { path } of files) await host.loadSkill(ref, { file: path })
  }
}

/** A person who uses the first tool, and logs in whenever they are told to; the host says when that is no use. */
async function useLoggedIn(server, host) {
  const attempt = async (work) => {
    for (let logins = 0; ; logins++) {
      try {
        return await work()
      } catch (error) {
        if (error.code !== 'server.needs-auth' || logins > 10) throw error
        const { lacking } = error.data.failure
        await login(server.declared(), { ...options, open: browse, ...(lacking && { scopes: lacking }) })
      }
    }
  }
  await attempt(() => host.connect('suite'))
  await attempt(() => server.tools())
  await attempt(() => server.call('test-tool', {}))
  if (scenario === 'auth/authorization-server-migration') await attempt(() => server.tools())
}

/** A browser: it goes where it is sent. */
async function browse(url) {
  await (await fetch(url)).text()
}

const home = mkdtempSync(join(tmpdir(), 'plugboard-conformance-'))
const options = {
  cwd: home,
  config: join(home, 'mcp.json'),
  sources: ['plugboard'],
  platform: { home, env: { HOME: home, PATH: process.env.PATH, PLUGBOARD_CREDENTIALS: 'file' } },
}
try {
  const run = scenario.startsWith('auth/') ? useLoggedIn : scenarios[scenario]
  if (!run) throw new Error(`No client for the scenario ${scenario}`)
  await withServer(run)
} finally {
  rmSync(home, { recursive: true, force: true })
}

async function withServer(run) {
  const auth = logins[scenario]
  for (const [name, text] of Object.entries(files[scenario]?.() ?? {})) {
    mkdirSync(dirname(join(home, name)), { recursive: true, mode: 0o700 })
    writeFileSync(join(home, name), text, { mode: 0o600 })
  }
  const entry = { type: 'http', url, protocol, ...(auth && { auth }) }
  writeFileSync(options.config, JSON.stringify({ mcpServers: { suite: entry } }))
  const host = await createHost({
    ...options,
    clientInfo: { name: 'plugboard-conformance', version: '1.0.0' },
    policy: [{ effect: 'allow', tools: ['*'] }],
    // A person who accepts a form as it is: what it offers by default is the host's to fill in.
    elicit: () => Promise.resolve({ action: 'accept', content: {} }),
    sample: () =>
      Promise.resolve({
        role: 'assistant',
        model: 'none',
        content: { type: 'text', text: 'Nothing to say.' },
      }),
  })
  try {
    if (run !== useLoggedIn) await host.connect('suite')
    await run(createServer(host), host)
  } finally {
    await host.close()
  }
}

function createServer(host) {
  const request = (method, params) => host.request('suite', method, params)
  const server = {
    request,
    declared: () => host.discovery.servers[0],
    tools: async () => (await host.list('suite', 'tools')).items,
    call: (name, args) => request('tools/call', { name, arguments: args }),
    async callAll() {
      for (const { name, inputSchema } of await server.tools())
        await server.call(name, exampleOf(inputSchema))
    },
  }
  return server
}

/** Arguments for tools whose required ones are all text. */
function exampleOf({ required = [] }) {
  return Object.fromEntries(required.map((name) => [name, 'eu-west']))
}
