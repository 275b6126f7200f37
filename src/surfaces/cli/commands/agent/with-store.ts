import { notKept, openOwnStore } from '../../../../store.ts'
import type { Store } from '../../../../store.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { outputOf, worldOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'

interface StoreRules {
  /** Whether the command makes a store where there is none. Commands that only look do not. */
  readonly mayCreate?: boolean
  readonly output?: Output
}

interface StoreContext {
  readonly output: Output
  readonly signal: AbortSignal
}

/** Runs a command with the person's store, and closes it however the command ends. `undefined`: there is no store yet. */
export function withStore<T>(
  cli: Cli,
  flags: CommonFlags,
  work: (store: Store | undefined, context: StoreContext) => Promise<T>,
  { mayCreate = false, output = outputOf(cli, flags) }: StoreRules = {},
): Promise<T> {
  return cli.signals.guard(async ({ signal, closeOnEnd }) => {
    const { store, problems } = await openOwnStore({ mayCreate, ...worldOf(cli, flags) })
    if (store) closeOnEnd(store)
    // Those about directories were printed before the command ran.
    const told = problems.filter(({ code }) => code !== 'directory-in-project')
    if (!store && told.length > 0) throw notKept(told)
    for (const { message, hint = '' } of told) output.warn(`${message} ${hint}`.trim())
    const result = await work(store, { output, signal })
    await output.flush()
    return result
  })
}
