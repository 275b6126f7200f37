import type { Value } from '../../model/server.ts'
import type { Draft } from './server-draft.ts'
import type { Entry } from './raw-entry.ts'
import type { EntryRules } from './entry-rules.ts'

export function readProcess(entry: Entry, rules: EntryRules, draft: Draft): void {
  readCommand(entry, rules, draft)
  const cwdKey = rules.keys?.cwd === null ? undefined : entry.firstOf(rules.keys?.cwd ?? ['cwd'])
  if (cwdKey) draft.cwd = entry.string(cwdKey)
  const envFileKey = rules.keys?.envFile ? entry.firstOf(rules.keys.envFile) : undefined
  if (envFileKey) draft.envFile = entry.string(envFileKey)
  const envKey = entry.firstOf(rules.keys?.env ?? ['env'])
  if (envKey) readEnv(entry, envKey, rules, draft)
}

function readCommand(entry: Entry, rules: EntryRules, draft: Draft): void {
  const key = entry.firstOf(rules.keys?.command ?? ['command'])
  const argsKey = entry.firstOf(rules.keys?.args ?? ['args'])
  const args = argsKey === undefined ? undefined : entry.strings(argsKey, 'error')
  if (args) draft.args = args
  if (key === undefined || rules.readCommand?.(entry, draft)) return
  const shape = rules.commandShape ?? 'string'
  const value = entry.get(key)
  if (shape !== 'string' && Array.isArray(value)) {
    const words = entry.strings(key, 'error')
    if (!words) return
    if (words.length === 0 || words[0] === '')
      return entry.refuse('missing-endpoint', 'The command is empty.', { key })
    draft.command = words[0]
    draft.args = [...words.slice(1), ...(args ?? [])]
    return
  }
  if (shape === 'list') {
    return entry.refuse('wrong-type', `"${key}" must be a list of strings.`, { key })
  }
  const command = entry.string(key, 'error')
  if (command === '') entry.refuse('missing-endpoint', 'The command is empty.', { key })
  else draft.command = command
}

function readEnv(entry: Entry, key: string, rules: EntryRules, draft: Draft): void {
  const object = entry.object(key, 'error')
  if (!object) return
  const env: Record<string, Value> = Object.create(null)
  const unset: string[] = []
  const converted: string[] = []
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'string') env[name] = value
    else if (value === null && rules.envCoerces) unset.push(name)
    else if (typeof value === 'number' || typeof value === 'boolean') {
      env[name] = String(value)
      converted.push(name)
    } else if (value !== null) {
      entry.refuse('wrong-type', `"${key}.${name}" must be a string.`, { key: [key, name] })
    }
  }
  if (converted.length > 0) {
    const message = `${key} ${converted.join(', ')}: converted to text.`
    if (rules.envCoerces) entry.info('value-coerced', message, { key })
    else entry.warn('wrong-type', message, { key })
  }
  draft.env = env
  if (unset.length > 0) draft.unsetEnv = unset
}
