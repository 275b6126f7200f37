import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

// A server of skills over stdio, of both eras, that does what its plan says: `node skill-server.mjs PLAN.json`.
// The plan is read again for each request, so a test changes the server while it runs. Each request is a line on stderr.
//
// { skills: [{ path, files: { 'SKILL.md': text }, sent?: { file: text }, entry?: {…}, unlisted? }], more?: [entries as sent],
//   isDumb?: boolean (skills/get fails), tools?: [definitions], era?: 'legacy', directories?: boolean, pageSize?: number }

const planFile = process.argv[2]
const plan = () => JSON.parse(readFileSync(planFile, 'utf8'))
const digestOf = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`
const uriOf = (skill, file) => `skill://${skill.path}/${file}`

function entryOf(skill) {
  const { name, description } = Object.fromEntries(
    [...skill.files['SKILL.md'].matchAll(/^(\w+): (.*)$/gm)].map(([, key, value]) => [key, value]),
  )
  const resources = Object.entries(skill.files).map(([file, text]) => ({
    uri: uriOf(skill, file),
    digest: digestOf(text),
    size: Buffer.byteLength(text),
  }))
  return { uri: uriOf(skill, 'SKILL.md'), frontmatter: { name, description }, resources, ...skill.entry }
}

const fresh = { ttlMs: 0, cacheScope: 'private' }
const invalid = (message) => ({ error: { code: -32602, message } })

const answers = {
  'server/discover': ({ era }) =>
    era === 'legacy'
      ? { error: { code: -32601, message: 'Method not found' } }
      : { result: { supportedVersions: ['2026-07-28'], ...greeting() } },
  initialize: (_, { protocolVersion }) => ({ result: { protocolVersion, ...greeting() } }),
  'tools/list': ({ tools = [] }) => ({ result: { tools, ...fresh } }),
  'tools/call': (_, { name }) => ({ result: { content: [{ type: 'text', text: `called ${name}` }] } }),
  'resources/list': () => ({ result: { resources: [], ...fresh } }),
  'resources/templates/list': () => ({ result: { resourceTemplates: [], ...fresh } }),
  'skills/list'({ skills = [], more = [], pageSize = 1000 }, { cursor = '0' }) {
    const all = [...skills.filter(({ unlisted }) => !unlisted).map(entryOf), ...more]
    const end = Number(cursor) + pageSize
    const page = all.slice(Number(cursor), end)
    return { result: { skills: page, ...(end < all.length && { nextCursor: String(end) }), ...fresh } }
  },
  'skills/get'({ skills = [], isDumb = false }, { uri }) {
    if (isDumb) return { error: { code: -32603, message: 'It is broken' } }
    const skill = skills.find((each) => uriOf(each, 'SKILL.md') === uri)
    return skill ? { result: { skill: entryOf(skill), ...fresh } } : invalid('Unknown skill')
  },
  'resources/read'({ skills = [] }, { uri }) {
    for (const skill of skills)
      for (const [file, text] of Object.entries({ ...skill.files, ...skill.hidden }))
        if (uriOf(skill, file) === uri) {
          const sent = skill.sent?.[file] ?? text
          return { result: { contents: [{ uri, mimeType: 'text/markdown', text: sent }], ...fresh } }
        }
    return invalid('Unknown resource')
  },
  'resources/directory/read'({ skills = [] }, { uri }) {
    const below = skills.flatMap((skill) =>
      Object.keys(skill.files)
        .map((file) => uriOf(skill, file))
        .filter((each) => each.startsWith(`${uri}/`)),
    )
    const names = [...new Set(below.map((each) => each.slice(uri.length + 1).split('/')[0]))]
    if (names.length === 0) return invalid('Unknown folder')
    const resources = names.map((name) => {
      const isFile = below.includes(`${uri}/${name}`)
      return { uri: `${uri}/${name}`, name, mimeType: isFile ? 'text/markdown' : 'inode/directory' }
    })
    return { result: { resources, ...fresh } }
  },
}

function greeting() {
  const { directories = false } = plan()
  return {
    capabilities: {
      tools: {},
      resources: {},
      extensions: { 'io.modelcontextprotocol/skills': directories ? { directoryRead: true } : {} },
    },
    serverInfo: { name: 'skills', version: '1.0.0' },
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) return
  process.stderr.write(`${method}${params.uri ? ` ${params.uri}` : ''}\n`)
  const answer = answers[method]?.(plan(), params) ?? { error: { code: -32601, message: 'Method not found' } }
  const { result } = answer
  const modern = params._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined
  const body = result && modern ? { result: { resultType: 'complete', ...result } } : answer
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`)
})
