import { parseTemplate } from '../../entries/template.ts'
import type {
  NewServer,
  VariableNames,
  WriteRules,
  WritingContext,
  WrittenEntry,
} from '../../entries/write-rules.ts'

/** goose skips an entry that lacks one of its required keys, and expands only variables that the entry names. */
export const gooseWrites: WriteRules = {
  variables: writeNames,
  valueKeys: ['env_keys', 'socket'],
  toEntry: addRequired,
}

/** `env_keys` hands a variable on under its own name only. */
function writeNames({ env, headers }: VariableNames): ReturnType<NonNullable<WriteRules['variables']>> {
  const handed = Object.keys(env).filter((name) => env[name] === name)
  const renamed = Object.entries(env).filter(([name, variable]) => name !== variable)
  return {
    entry: handed.length > 0 ? { env_keys: handed } : {},
    rest: { env: Object.fromEntries(renamed), headers },
  }
}

function addRequired(
  server: NewServer,
  { entry, lost }: WrittenEntry,
  { like }: WritingContext,
): WrittenEntry {
  const names = variablesIn(server)
  return {
    entry: {
      enabled: like['enabled'] ?? true,
      name: like['name'] ?? server.name,
      ...entry,
      ...(server.transport.kind === 'stdio' && { args: entry['args'] ?? [] }),
      ...(names.length > 0 && { env_keys: names }),
    },
    lost,
  }
}

/** What the address and the headers of a remote server refer to. */
function variablesIn({ transport }: NewServer): readonly string[] {
  if (transport.kind === 'stdio') return []
  const texts = [transport.url, ...Object.values(transport.headers ?? {})]
  const names = texts.flatMap((text) =>
    typeof text === 'string'
      ? parseTemplate(text, { syntaxes: ['braces', 'bare'], unset: 'keep' }).flatMap((part) =>
          part.kind === 'env' ? [part.name] : [],
        )
      : [],
  )
  return [...new Set(names)]
}
