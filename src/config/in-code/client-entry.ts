import type { Diagnostic } from '../../model/diagnostic.ts'
import { codeFile } from '../../model/server.ts'
import { fromPointer } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Server } from '../../model/server.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import type { SourceId } from '../../sources/places.ts'
import type { OpenFile, Source, World } from '../../sources/source.ts'

/** An entry as one client reads it. */
export interface EntryReading {
  readonly server: Server | undefined
  readonly problems: readonly EntryProblem[]
}

export interface EntryProblem extends Omit<Diagnostic, 'origin'> {
  /** The path inside the entry. */
  readonly path: readonly string[]
}

/** Clients whose entries have keys of their own, so that an entry can be recognized by them. */
const recognized: readonly SourceId[] = [
  'codex',
  'goose',
  'opencode',
  'zed',
  'gemini-cli',
  'vscode',
  'oh-my-pi',
  'crush',
  'claude-code',
  'cline',
  'roo-code',
  'kiro',
  'windsurf',
  'copilot-cli',
  'factory-droid',
  'amp',
  'continue',
]

/**
 * Reads an entry in our own dialect, which knows the common forms of all clients. If it has keys or forms that this dialect
 * does not know, the first client that knows all of them reads it.
 */
export async function readAnyEntry(name: string, entry: JsonObject, world: World): Promise<EntryReading> {
  const own = await readEntryOf('plugboard', name, entry, world)
  if (own.server && !own.problems.some(isForeign)) return own
  for (const id of recognized) {
    const reading = await readEntryOf(id, name, entry, world)
    if (reading.server && !reading.problems.some(isForeign)) return reading
  }
  return own
}

function isForeign({ code, severity }: EntryProblem): boolean {
  return severity === 'error' || code === 'unknown-key' || code === 'wrong-type'
}

/** Reads an entry by the rules of one client, as if it stood in a file of that client. */
export async function readEntryOf(
  id: SourceId,
  name: string,
  entry: JsonObject,
  world: World,
): Promise<EntryReading> {
  const source = await loadSource(id)
  const root = rootOf(source, world)
  const { servers, diagnostics } = source.read([fileWith(wrap(root, name, entry), world)], world)
  return {
    server: servers.find((server) => server.name === name),
    problems: diagnostics.map(({ origin, ...rest }) => ({
      ...rest,
      path: fromPointer(origin?.pointer ?? '').slice(root.length + 1),
    })),
  }
}

/** The keys above a client's map of servers. */
function rootOf({ writing }: Source, world: World): readonly string[] {
  return writing?.(fileWith({}, world), world).root.map(String) ?? ['mcpServers']
}

function wrap(root: readonly string[], name: string, entry: JsonObject): JsonObject {
  const above = [...root, name]
  return above.reduceRight<Json>((value, key) => ({ __proto__: null, [key]: value }), entry) as JsonObject // at least the name
}

function fileWith(value: JsonObject, { cwd }: World): OpenFile {
  const start = { line: 1, column: 1 }
  return {
    path: codeFile,
    scope: 'code',
    authority: 'explicit',
    role: 'servers',
    format: 'json',
    root: cwd,
    doc: {
      format: 'json',
      value,
      errors: [],
      relaxed: [],
      duplicates: [],
      forbidden: [],
      position: () => start,
    },
  }
}
