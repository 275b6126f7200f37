import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// What the scanner finds in the attack set and in real tools, as numbers. `scan-eval.mjs` prints them,
// test/scanner-quality.slow.test.ts holds them to the thresholds.

/** All pairs of the attack set, in the order of their files. */
export function readAttacks(root) {
  const folder = join(root, 'test/fixtures/scanner/attacks')
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')).map(expand))
}

/** The real tools, one server for each repository and file. */
export function readRealTools(root) {
  const tools = JSON.parse(readFileSync(join(root, 'test/fixtures/scanner/benign-tools.json'), 'utf8'))
  return tools.map(({ repo, path, name, description, schema }) => ({
    server: repo === 'docker/mcp-registry' ? path.split('/')[1] : repo.split('/')[0],
    tool: { name, description, inputSchema: schema },
  }))
}

/** The hold-out sets: hostile definitions with their twins, and benign ones, by the number of their round. */
export function readHoldout(root, name = 'holdout') {
  const folder = join(root, 'test/fixtures/scanner', name)
  const of = (half) =>
    readdirSync(folder)
      .filter((file) => file.startsWith(half))
      .toSorted()
      .map((file) => ({
        round: Number(/\d+/.exec(file)?.[0]),
        list: JSON.parse(readFileSync(join(folder, file), 'utf8')),
      }))
  return { hostile: of('hostile'), benign: of('benign') }
}

/** The hold-out sets in other languages than English, by the number of their round. */
export function readLanguages(root) {
  return readHoldout(root, 'languages')
}

/** What the scanner finds in a hold-out set, at medium or above. */
export async function judgeHoldout({ hostile, benign }, scanner) {
  const severe = (findings, least) => findings.some(({ severity }) => scanner.isAtLeast(severity, least))
  const pairs = []
  for (const { round, list } of hostile)
    for (const { id, family, style, kind, hostile: half, harmless } of list) {
      const found = await findingsOf({ kind }, toCase(kind, half), scanner)
      const twin = await findingsOf({ kind }, toCase(kind, harmless), scanner)
      pairs.push({
        round,
        id: `${round}/${id}`,
        family,
        style,
        found: severe(found, kind === 'config' ? 'low' : 'medium'),
        high: severe(found, 'high'),
        clear: !severe(twin, 'medium'),
      })
    }
  const honest = []
  for (const { round, list } of benign)
    for (const { id, kind, thing } of list) {
      const found = await findingsOf({ kind }, toCase(kind, thing), scanner)
      honest.push({
        round,
        id: `${round}/${id}`,
        high: severe(found, 'high'),
        medium: severe(found, 'medium'),
      })
    }
  return { pairs, honest }
}

/** The hold-out sets write servers and files in short. */
function toCase(kind, value) {
  if (kind === 'config') return { scope: 'user', servers: value.mcpServers }
  return kind === 'together' ? { servers: value.map((offers) => ({ ...nothing, ...offers })) } : value
}

/** Writes the short forms of long texts out: see the README of the set. */
function expand(value) {
  if (Array.isArray(value)) return value.map(expand)
  if (typeof value !== 'object' || value === null) return value
  if ('$repeat' in value) return value.$repeat.repeat(value.times)
  if ('$join' in value) return value.$join.join('')
  if ('$base64' in value) return Buffer.from(expand(value.$base64)).toString('base64')
  if ('$nest' in value) return nest(value)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner)]))
}

function nest({ $nest: path, times, around }) {
  let inner = around
  for (let depth = 0; depth < times; depth++)
    inner = {
      ...around,
      ...path
        .split('.')
        .toReversed()
        .reduce((value, key) => ({ [key]: value }), inner),
    }
  return inner
}

/** What the scanner finds in both halves of every pair. */
export async function judge(attacks, scanner) {
  const judged = []
  for (const attack of attacks) {
    const { id, rule, style, batch, atLeast, language } = attack
    const hostile = await findingsOf(attack, attack.hostile, scanner)
    const harmless = await findingsOf(attack, attack.harmless, scanner)
    const found = hostile.some(({ severity }) => scanner.isAtLeast(severity, atLeast))
    const limit = atLeast === 'low' ? 'low' : 'medium'
    const clear = !harmless.some(({ severity }) => scanner.isAtLeast(severity, limit))
    const own = hostile.some((finding) => finding.rule === rule)
    judged.push({ id, rule, style, batch, language, found, clear, own, hostile, harmless })
  }
  return judged
}

/** The severe findings in real tools. */
export function judgeReal(tools, scanner) {
  const findings = tools.map(({ server, tool }) => scanner.scanDefinition('tool', tool, server))
  const worst = (severity) =>
    findings.filter((list) => list.some((finding) => scanner.isAtLeast(finding.severity, severity))).length
  return { tools: tools.length, high: worst('high'), medium: worst('medium'), findings: findings.flat() }
}

/** The rate of those that hold, as `12/13 (92.3 %)`. */
export function rate(list, holds) {
  const count = list.filter(holds).length
  return `${count}/${list.length} (${list.length === 0 ? '–' : ((count / list.length) * 100).toFixed(1)} %)`
}

async function findingsOf({ kind }, half, scanner) {
  if (kind === 'drift')
    return scanner.compareForDrift(half.accepted, half.current, { kind: 'tool', server: 's' })
  if (kind === 'together') return together(half.servers, scanner)
  if (kind === 'config') return declared(half, scanner)
  if (kind === 'instructions') return scanner.scanOffers({ ...nothing, instructions: half })
  if (['result', 'error', 'elicitation', 'sampling'].includes(kind))
    return textsOf(half).flatMap((text) => scanner.scanText(kind, text, { server: 's', name: 't' }))
  return scanner.scanDefinition(kind, half, 's')
}

const nothing = { server: 's', tools: [], prompts: [], resources: [], resourceTemplates: [] }

function together(servers, scanner) {
  return [...scanner.scanTogether(servers), ...servers.flatMap((offers) => scanner.scanOffers(offers))]
}

/** Texts as a person or model gets them: every leaf, and the names of fields. */
function textsOf(value) {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(Array.isArray(value) ? [] : [key]),
    ...textsOf(inner),
  ])
}

/** Declares the servers in a real file and reads them as the host does. */
async function declared({ scope, servers }, scanner) {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-declared-'))
  try {
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
    const read = await scanner.discover({
      cwd: folder,
      sources: scope === 'project' ? ['plugboard'] : [],
      settings: false,
      ...(scope === 'user' && { config: join(folder, '.mcp.json') }),
    })
    return scanner.scanServers(read.servers.filter(({ name }) => Object.hasOwn(servers, name)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
