import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureAgent } from './agent.mjs'
import { installPeers, peers, peerVersions } from './peers.mjs'
import { measureContact } from './contact.mjs'
import { measurePage } from './page.mjs'
import { measureSize } from './size.mjs'
import { measureStore } from './store.mjs'
import { measureTools } from './tools.mjs'
import { measureWaiting } from './waiting.mjs'
import { measureWire } from './wire.mjs'

// npm run bench              the start of the command line, the wire and tools, with the peers if they are installed
// npm run bench -- --peers   installs the peers first, and a newer Node for all subjects
// npm run bench -- --quick   two rounds of `raw` and `plugboard`; writes no page
// npm run bench -- --resume  goes on with a whole run that was cut off: what it has measured stays
// --only pipe,http           only these runs of the wire; --only tools; --only contact; --only agent; --only store; --only waiting; --rounds N; --node PATH; --entry FILE of another build
// --only page                only the section about `serve` and its page, which is written into docs/reference/performance.md
// --minutes 60               how long the memory of `serve` is watched; 2 without it
// The start is measured with this Node and those of `npm run test:nodes`.

const root = fileURLToPath(new URL('..', import.meta.url))
const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    only: { type: 'string' },
    node: { type: 'string' },
    entry: { type: 'string' },
    resume: { type: 'boolean', default: false },
    minutes: { type: 'string' },
  },
})

if (!existsSync(join(root, 'dist/index.js'))) fail('Run npm run build first.')
const newer = options.quick ? undefined : installPeers({ root, mayInstall: options.peers })
const node = options.node ?? newer ?? process.execPath
const subjects = ['raw', 'plugboard', ...(newer ? peers : [])]
const rounds = Number(options.rounds ?? (options.quick ? 2 : 5))

const only = options.only?.split(',')
const isWhole = !options.quick && !only
const say = (line) => process.stderr.write(`${line}\n`)
// A whole run takes half an hour. Each part is stored when it is measured, so that a later failure does not cost it.
const pageFile = join(root, 'docs/reference/performance.md')
const pageTitle = '## The page'
const measuredFile = join(root, 'bench/measured.json')
const measured =
  options.resume && existsSync(measuredFile) ? JSON.parse(readFileSync(measuredFile, 'utf8')) : {}
const common = { subjects, node, rounds, entry: options.entry, say }

part('start', () => (only ? '' : startTable(options.quick ? 3 : 15)))
part('wire', () => measureWire({ ...common, isQuick: options.quick, only }))
part('tools', () => (isWanted('tools') ? measureTools(common) : {}))
part('contact', () => (isWanted('contact') ? measureContact(common) : ''))
part('agent', () => (isWanted('agent') ? measureAgent({ ...common, isQuick: options.quick }) : ''))
part('store', () => (isWanted('store') ? measureStore({ ...common, isQuick: options.quick }) : ''))
part('waiting', () => (isWanted('waiting') ? measureWaiting({ root, node, rounds, say }) : ''))
part('page', () => (isWanted('page') ? measurePage(pageOptions()) : ''))
part('size', () => (isWhole ? measureSize(root) : ''))
const page = toPage()
console.log(page)
if (isWhole) {
  writeFileSync(pageFile, page)
  rmSync(measuredFile, { force: true })
} else if (only?.includes('page') && !options.quick) {
  // A section with a date of its own: the others stay as they were measured.
  const before = readFileSync(pageFile, 'utf8')
  writeFileSync(
    pageFile,
    before.replace(sectionOf(before, pageTitle) ?? /(?=## Beside a hanging server)/, () =>
      sectionOf(page, pageTitle),
    ),
  )
}

function part(name, measure) {
  if (name in measured) return
  measured[name] = measure()
  if (isWhole) writeFileSync(measuredFile, JSON.stringify(measured))
}

function isWanted(name) {
  return !only || only.includes(name)
}

function pageOptions() {
  const section = sectionOf(readFileSync(pageFile, 'utf8'), pageTitle) ?? ''
  // What the last run measured is from its date to the notes below the tables.
  const earlier = /^(?:Measured on|\|)[^]*?(?=\n\n- )/m.exec(section)?.[0]
  const minutes = options.minutes === undefined ? undefined : Number(options.minutes)
  return { root, node, rounds, say, isQuick: options.quick, minutes, earlier }
}

/** A section with its heading, up to the next one. */
function sectionOf(text, title) {
  const begin = text.indexOf(`${title}\n`)
  const end = text.indexOf('\n## ', begin)
  return begin < 0 ? undefined : text.slice(begin, end + 1)
}

function startTable(startRounds) {
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'bench/start.mjs'), String(startRounds), ...startNodes()],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  if (status !== 0) fail('bench/start.mjs failed.')
  return stdout.trim()
}

/** The Node that runs this, which built the package, and those that `npm run test:nodes` has installed. */
function startNodes() {
  const folder = join(root, '.nodes')
  const name = `node-${process.platform}-${process.arch}`
  const majors = existsSync(folder) ? readdirSync(folder).sort() : []
  const installed = majors.map((major) => join(folder, major, 'node_modules', name, 'bin/node'))
  return [process.execPath, ...(options.node ? [options.node] : installed.filter((file) => existsSync(file)))]
}

function toPage() {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  const today = new Date().toISOString().slice(0, 10)
  const text = readFileSync(join(root, 'bench/performance.md'), 'utf8')
  const { wire, tools, ...sections } = measured
  const parts = {
    when: `Measured on ${today} with Node ${version} on ${availableParallelism()} cores, ${rounds} rounds.`,
    versions: newer ? `The peers: ${peerVersions(root)}.` : '',
    offered: '',
    own: '',
    ...wire,
    ...tools,
    ...sections,
  }
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, key) => parts[key]).replaceAll(/\n{3,}/g, '\n\n')
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
