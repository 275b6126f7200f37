import { readToolSettings } from '../config/read-tool-settings.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { readDeclared } from '../policy/declared-policy.ts'
import type { DeclaredPolicy } from '../policy/declared-policy.ts'
import type { Layer } from '../policy/layers.ts'
import type { ReadOnlyGuard } from '../policy/read-only.ts'
import type { Rule } from '../policy/call-rules.ts'
import type { HostContext } from './host.ts'

/** What counts for everybody, whoever looks: the embedder's word, the person's and the project's (D-7). */
export interface Everybody {
  readonly layers: readonly Layer[]
  readonly rules: readonly Rule[]
  readonly problems: readonly Diagnostic[]
}

export async function readEverybody(context: HostContext): Promise<Everybody> {
  const { projectFiles = true } = context.options
  const { settings, diagnostics } = await readToolSettings(context.platform, { projectFiles })
  const declared = settings.map(readDeclared)
  return {
    layers: [embedderLayer(context), ...declared.flatMap(({ layers }) => layers)],
    rules: [...(context.options.policy ?? []), ...declared.flatMap(({ rules }) => rules)],
    problems: [...diagnostics, ...declared.flatMap(toDiagnostics)],
  }
}

/** The embedder's globs and read-only guard. */
function embedderLayer({ options, preset }: HostContext): Layer {
  const guard = options.readOnly ?? preset.readOnly
  return {
    kind: 'user',
    ...(options.tools && { tools: options.tools }),
    ...(guard && { readOnly: asGuard(guard) }),
  }
}

function asGuard(guard: ReadOnlyGuard['policy'] | ReadOnlyGuard): ReadOnlyGuard {
  return typeof guard === 'string' ? { policy: guard } : guard
}

function toDiagnostics({ complaints }: DeclaredPolicy): readonly Diagnostic[] {
  return complaints.map(({ message, origin }) => ({
    code: 'settings-invalid',
    severity: 'error',
    message: `Settings: ${message}`,
    origin,
  }))
}
