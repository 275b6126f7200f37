import { basename } from 'node:path'
import { valueAt } from '../../../model/json.ts'
import type { Value } from '../../../model/server.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import { originIn } from '../../source.ts'
import type { OpenFile } from '../../source.ts'
import { tablesOf, usableRoot } from '../../entries/server-tables.ts'
import { parseTemplate } from '../../entries/template.ts'
import type { Part } from '../../entries/template.ts'

const id = 'copilot-coding-agent'

const rules: EntryRules = {
  types: { local: 'stdio', stdio: 'stdio', http: 'http', sse: 'sse' },
  untypedUrl: 'http',
  untypedUrlNote: {
    code: 'missing-type',
    severity: 'warn',
    message: 'A remote server needs a "type" ("http" or "sse"); http is assumed.',
  },
  both: 'command',
  keys: { cwd: null },
  allowKey: 'tools',
  references: /^COPILOT_MCP_/,
  checkPins: true,
  finish(entry, draft) {
    if (!entry.has('tools')) entry.report('missing-key', 'error', '"tools" is required.')
    const isUsable = checkNames(entry, draft)
    if (entry.file.role === 'agent') assignAgent(entry.file, draft)
    else if (isUsable) reportEveryTool(entry)
  },
}

/** A repository's settings from the web, and agent files. Their variables exist only where the agent runs. */
export const copilotCodingAgent = createSource({
  id,
  title: 'GitHub Copilot coding agent',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules,
  values: { syntaxes: [], unset: 'keep' },
  tables(files, _world, report) {
    return files.flatMap((file) => {
      const root = usableRoot(file, 'unsure', report)
      const key = file.role === 'agent' ? 'mcp-servers' : 'mcpServers'
      return root ? tablesOf(file, root, { roots: [[key]] }, report) : []
    })
  },
  writes: 'never',
})

function assignAgent(file: OpenFile, draft: Draft): void {
  const name = valueAt(file.doc.value, ['name'])
  draft.agent = typeof name === 'string' ? name : basename(file.path).replace(/(\.agent)?\.md$/, '')
  draft.origin = originIn(id, file, draft.origin.pointer, `agent:${draft.agent}`)
}

function reportEveryTool(entry: Entry): void {
  const tools = entry.get('tools')
  if (!Array.isArray(tools) || !tools.includes('*')) return
  entry.warn('no-approval', 'The agent calls tools without asking; list the tools it needs instead of "*".', {
    key: 'tools',
  })
}

const available = /^((secrets|vars)\.)?COPILOT_MCP_/

/** Secrets and variables of the agent have a fixed prefix. Other names must be set in the entry's own `env`. */
function checkNames(entry: Entry, draft: Draft): boolean {
  const own = new Set(Object.keys(draft.env ?? {}))
  const missing = textsOf(draft).flatMap(([key, text]) =>
    namesIn(text)
      .filter((name) => !available.test(name) && (key[0] === 'env' || !own.has(name)))
      .map((name) => ({ key, name })),
  )
  for (const { key, name } of missing) {
    const message = `${name} is not available: only names that start with COPILOT_MCP_ are.`
    entry.report('missing-env', 'error', message, { key })
  }
  return missing.length === 0
}

type TextField = readonly [key: readonly (string | number)[], value: Value | undefined]

function textsOf({ command, args, env, url, headers }: Draft): readonly TextField[] {
  return [
    [['command'], command],
    ...(args ?? []).map((arg, index): TextField => [['args', index], arg]),
    ...Object.entries(env ?? {}).map(([name, value]): TextField => [['env', name], value]),
    [['url'], url],
    ...Object.entries(headers ?? {}).map(([name, value]): TextField => [['headers', name], value]),
  ]
}

function namesIn(text: Value | undefined): readonly string[] {
  if (typeof text !== 'string') return []
  return parseTemplate(text, { syntaxes: ['braces', 'bare', 'secrets'], unset: 'keep' }).flatMap(nameOf)
}

function nameOf(part: Part): readonly string[] {
  if (part.kind === 'env') return part.fallback === undefined ? [part.name] : []
  return part.kind === 'secret' && /^(secrets|vars)\./.test(part.name) ? [part.name] : []
}
