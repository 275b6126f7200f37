import { readFile } from 'node:fs/promises'
import { listAccounts } from '../../../auth.ts'
import { discover, explain } from '../../../index.ts'
import type { DeclaredEntry, Server } from '../../../index.ts'
import { findServer, redactArguments, redactText, redactWords } from '../../../internal.ts'
import type { ShownTexts } from '../../../internal.ts'
import type { ServerDetail } from '../../api/server-routes.ts'
import { entryLines } from '../../facts/entry-lines.ts'
import { describePlace } from '../../facts/place-facts.ts'
import { describeResolved } from '../../facts/resolved-facts.ts'
import { trustSentence } from '../../facts/state-facts.ts'
import { escapeLine, escapeText } from '../../terminal/escape.ts'
import type { ServeContext } from '../serve-context.ts'
import { describeProblems } from './config-problems.ts'
import { recordOf } from './server-record.ts'
import { inputsOf, isAnswered, rowOf } from './server-rows.ts'
import { shortener } from './shown-paths.ts'

/** Everything about one server, as the page shows it in its detail. */
export async function describeServer(context: ServeContext, given: string): Promise<ServerDetail> {
  const { host } = context
  const record = recordOf(context)
  await record.readKnown()
  const server = findServer(host.discovery, given)
  const { name } = server
  const row = rowOf(context, name)
  const [explanation] = explain(host.discovery, name)
  const status = host.servers().find((each) => each.name === name)?.status
  const instructions = host.instructions().find((each) => each.server === name)?.text
  const memory = row.pid === undefined ? undefined : await memoryOf(row.pid)
  const clashes = host.problems().filter((found) => found.code === 'address-clash' && found.server === name)
  const shorten = shortener(context)
  return {
    server: row,
    history: record.historyOf(name),
    why: escapeLine(explanation?.reason ?? ''),
    ...(instructions !== undefined && { instructions: escapeText(instructions) }),
    ...(status?.state === 'ready' && { capabilities: status.capabilities }),
    ...(memory !== undefined && { memory }),
    entry: server.declared.flatMap((declared) => declaredLines(declared, server)),
    resolved: await resolvedValues(server, context),
    shadowed: (explanation?.hidden ?? []).map(({ server: hidden, by, trust }) => ({
      declared: describePlace(hidden.origin, shorten),
      reason: trust
        ? `${trustSentence(trust)} Then it is in force.`
        : `Hidden by ${describePlace(by, shorten).shown}.`,
    })),
    problems: describeProblems([...(explanation?.diagnostics ?? []), ...clashes], context),
    accounts: await accountsOf(server, context),
    inputs: inputsOf(server).map((input) => ({
      id: input.id,
      ...(input.description !== undefined && { description: escapeLine(input.description) }),
      isSecret: input.secret === true,
      ...(input.choices && { choices: input.choices }),
      isAnswered: isAnswered(context, server, input),
    })),
  }
}

/** Masks by name and form, also texts of the project: this is no decision about code (T35). */
const masked: ShownTexts = {
  text: (text, key) => redactWords(redactText(text, key)),
  args: (args) => redactArguments(args),
  value: (name, text) => redactWords(redactText(text, name)),
}

/** One line per key of an entry, with its line in the file. */
function declaredLines(declared: DeclaredEntry, server: Server): ServerDetail['entry'] {
  const { origin, entry } = declared
  return Object.keys(entry).map((key) => {
    const part = key.replaceAll('~', '~0').replaceAll('/', '~1')
    const { line } = declared.placeOf(`${origin.pointer}/${part}`)
    const [text = ''] = entryLines({ [key]: entry[key] ?? null }, server, masked)
    return { ...(line !== undefined && { line }), text: escapeLine(text) }
  })
}

/** Values after expansion. The files are read again, because a host keeps none. */
async function resolvedValues(
  server: Server,
  { discover: options, cwd }: ServeContext,
): Promise<ServerDetail['resolved']> {
  const { servers, resolved } = await discover({ ...options, cwd, preview: true })
  const same = servers.find(({ id }) => id === server.id)
  const { unresolved = {}, login = {}, ...values } = (same && resolved?.get(same)) ?? {}
  return [
    ...describeResolved({ ...values, auth: login }).map(({ field, name, value }) => ({
      name: name === undefined ? field : `${field}.${name}`,
      value,
    })),
    ...Object.entries(unresolved).map(([name, why]) => ({
      name: escapeLine(name),
      value: escapeLine(redactWords(why)),
    })),
  ]
}

async function accountsOf(
  server: Server,
  { discover: options, cwd }: ServeContext,
): Promise<ServerDetail['accounts']> {
  if (server.transport.kind === 'stdio' || server.transport.kind === 'channel') return []
  // An address with an unset variable has no logins.
  const found = await listAccounts(server, { ...options, cwd }).catch(() => [])
  return found.map(({ account, issuer, expiresAt, who }) => ({
    account: escapeLine(account),
    issuer: escapeLine(issuer),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(who !== undefined && { who: escapeLine(who) }),
  }))
}

/** The resident memory of a process; only Linux tells it in a file. */
async function memoryOf(pid: number): Promise<number | undefined> {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}
