import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './run.mjs'
import {
  judge,
  judgeHoldout,
  judgeReal,
  rate,
  readAttacks,
  readHoldout,
  readLanguages,
  readRealTools,
} from './scan-quality.mjs'

// Measures the scanner of dist/ and writes the tables into docs/reference/scanner.md, between its marks.
// `npm run scan:eval [-- --misses]`; --misses prints what was missed instead of writing.
const { discover, createHost } = await import('../dist/index.js')
const scanner = { ...(await import('../dist/scan.js')), discover }

const marks = ['<!-- tables -->', '<!-- end of tables -->']
const localNames = []
// Measured on the day that each set was written, before a rule was changed for it.
const firstMeasured = {
  1: '82/130 (63.1 %)',
  2: '58/83 (69.9 %)',
  3: '37/56 (66.1 %)',
  4: '30/36 (83.3 %)',
  5: '25/44 (56.8 %)',
  6: '7/20 (35.0 %)',
  7: '20/60 (33.3 %)',
  8: '13/60 (21.7 %)',
}
// In other languages, written in this order: before the first phrase, against the first phrases, against the mended ones;
// 4 and 5 by an author who had not read a rule.
const languagesMeasured = {
  1: '1/54 (1.9 %)',
  2: '3/36 (8.3 %)',
  3: '16/27 (59.3 %)',
  4: '9/27 (33.3 %)',
  5: '7/10 (70.0 %)',
  6: '7/24 (29.2 %)',
}
const languagesBenign = { 1: [0, 0], 3: [2, 2] }
/** High or above, medium or above. */
const benignMeasured = { 1: [7, 13], 2: [1, 3], 7: [3, 5], 8: [8, 11] }
const judged = await judge(readAttacks(root), scanner)
const pairs = judged.filter(({ language }) => !language)
const holdout = await judgeHoldout(readHoldout(root), scanner)
const languages = await judgeHoldout(readLanguages(root), scanner)
const real = judgeReal(readRealTools(root), scanner)
const local = judgeReal(await toolsOfLocalServers(), scanner)

if (process.argv.includes('--misses')) printMisses()
else writeTables()

function printMisses() {
  const short = (findings) =>
    findings.map(({ rule, severity }) => `${rule} ${severity}`).join(', ') || 'nothing'
  for (const { id, found, clear, hostile, harmless } of judged) {
    if (!found) console.log(`missed      ${id}: ${short(hostile)}`)
    if (!clear) console.log(`false alarm ${id}: ${short(harmless)}`)
  }
  for (const { rule, severity, subject, evidence } of [...real.findings, ...local.findings])
    if (scanner.isAtLeast(severity, 'medium'))
      console.log(`real tool   ${subject.server}/${subject.name}: ${rule} ${severity}: ${evidence ?? ''}`)
  for (const { id, found, clear } of [...holdout.pairs, ...languages.pairs]) {
    if (!found) console.log(`missed      hold-out ${id}`)
    if (!clear) console.log(`false alarm hold-out ${id}`)
  }
  for (const { id, medium } of [...holdout.honest, ...languages.honest])
    if (medium) console.log(`false alarm hold-out, benign ${id}`)
  console.log(`${rate(pairs, ({ found }) => found)} found, ${rate(pairs, isToldApart)} told apart`)
}

function writeTables() {
  const file = join(root, 'docs/reference/scanner.md')
  const [before, after] = marks
  const text = readFileSync(file, 'utf8')
  const start = text.indexOf(before)
  const end = text.indexOf(after)
  if (start < 0 || end < start) throw new Error(`${file} has no marks for the tables`)
  writeFileSync(file, `${text.slice(0, start + before.length)}\n\n${tables()}\n\n${text.slice(end)}`)
  console.log(tables())
}

function tables() {
  return [
    `Rules version ${scanner.rulesVersion}.`,
    '### Attacks found',
    table(
      ['family', 'plain', 'hidden', 'reworded', 'all', 'by its own rule', 'told from its twin'],
      [...families().map(([name, list]) => familyRow(name, list)), familyRow('all', pairs)],
    ),
    table(
      ['written', 'found', 'told from its twin'],
      [...groups(judged, when)].map(([name, list]) => [
        name,
        rate(list, ({ found }) => found),
        rate(list, isToldApart),
      ]),
    ),
    '### Hold-out sets',
    pairTable(holdout.pairs, firstMeasured),
    benignTable(holdout.honest, benignMeasured),
    '### Other languages',
    pairTable(languages.pairs, languagesMeasured),
    benignTable(languages.honest, languagesBenign),
    '### Real tools',
    table(
      ['tools', 'number', 'with a finding at high or above', 'at medium or above'],
      [
        ['of published servers', real.tools, real.high, real.medium],
        [`of servers that run here (${localNames.join(', ')})`, local.tools, local.high, local.medium],
      ],
    ),
    '### Time',
    timing(),
  ].join('\n\n')
}

function pairTable(list, measured) {
  const head = ['set', 'hostile', 'found when it was written', 'found now']
  return table(
    [...head, 'of these at high or above', 'told from its twin'],
    rounds(list).map(([round, pairsOf]) => [
      round,
      pairsOf.length,
      measured[round],
      rate(pairsOf, ({ found }) => found),
      rate(pairsOf, ({ high }) => high),
      rate(pairsOf, isToldApart),
    ]),
  )
}

function benignTable(list, measured) {
  const head = ['set', 'benign', 'at high or above: when it was written', 'now']
  return table(
    [...head, 'at medium or above: when it was written', 'now'],
    rounds(list).map(([round, things]) => [
      round,
      things.length,
      ...measured[round].flatMap((before, index) => [
        before,
        things.filter(({ high, medium }) => (index === 0 ? high : medium)).length,
      ]),
    ]),
  )
}

function rounds(list) {
  return [...groups(list, ({ round }) => round)].toSorted(([a], [b]) => a - b)
}

function families() {
  return [...groups(pairs, ({ rule }) => rule.split('-')[0])].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function familyRow(name, list) {
  const of = (style) =>
    rate(
      list.filter((pair) => pair.style === style),
      ({ found }) => found,
    )
  return [
    name,
    of('plain'),
    of('hidden'),
    of('reworded'),
    rate(list, ({ found }) => found),
    rate(list, ({ own }) => own),
    rate(list, isToldApart),
  ]
}

function isToldApart({ found, clear }) {
  return found && clear
}

function when({ batch, language }) {
  if (language) return 'in other languages (no threshold)'
  return [
    'before the first rule',
    'before a rule was read',
    'after the rules, which were not changed for it',
  ][batch - 1]
}

function groups(list, keyOf) {
  const found = new Map()
  for (const item of list) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item])
  return found
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** 1,000 tools, the processor time of scanning them and of parsing them, each the best of five rounds. */
function timing() {
  const known = readRealTools(root).map(({ tool }) => tool)
  const tools = Array.from({ length: 1000 }, (_, i) => ({ ...known[i % known.length], name: `tool_${i}` }))
  const text = JSON.stringify(tools)
  const scan = best(() =>
    scanner.scanOffers({ server: 's', tools, prompts: [], resources: [], resourceTemplates: [] }),
  )
  const parse = best(() => JSON.parse(text))
  return `1,000 tools (${Math.round(text.length / 1000)} kB): ${scan.toFixed(0)} ms of processor time, ${(scan / parse).toFixed(0)} times that of parsing their JSON (${parse.toFixed(1)} ms).`
}

function best(work) {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round++) {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** The tools of all servers of test/real that are installed, there or for the tests. */
async function toolsOfLocalServers() {
  const { servers } = await import('../test/real/servers.mjs')
  const tools = []
  for (const server of servers) {
    const file = programOf(server)
    const found = file && !server.cannot ? await ask(server, file) : []
    if (found.length > 0) localNames.push(server.name)
    tools.push(...found)
  }
  return tools
}

async function ask({ name, args = [], env = {} }, file) {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-scan-'))
  const config = join(folder, 'servers.json')
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: { x: { command: process.execPath, args: [file, ...args], env } } }),
  )
  const host = await createHost({ cwd: folder, config, sources: [], settings: false })
  try {
    await host.connect('x')
    await host.ready({ timeoutMs: 60_000 })
    return host.tools().map(({ tool, title, description, inputSchema, outputSchema, annotations }) => ({
      server: name,
      tool: {
        name: tool,
        ...(title && { title }),
        description,
        inputSchema,
        ...(outputSchema && { outputSchema }),
        annotations,
      },
    }))
  } catch {
    return []
  } finally {
    await host.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function programOf({ name, bin }) {
  for (const folder of [join(root, 'test/real/node_modules', name), join(root, 'node_modules', name)]) {
    const manifest = join(folder, 'package.json')
    if (!existsSync(manifest)) continue
    const { bin: bins } = JSON.parse(readFileSync(manifest, 'utf8'))
    return join(folder, typeof bins === 'string' ? bins : bins[bin])
  }
  return undefined
}
