import { checkFolder } from './context.ts'
import type { Cli, CommonFlags } from './context.ts'

type Command<Flags, Words extends readonly (string | undefined)[]> = (
  cli: Cli,
  flags: Flags,
  ...words: Words
) => Promise<void>

/** Loads a command's code when it runs. Stricli gives the context as `this`, ours take it as an argument. */
export function lazily<Flags extends Pick<CommonFlags, 'cwd'>, Words extends readonly (string | undefined)[]>(
  load: () => Promise<Command<Flags, Words>>,
) {
  return async () => {
    const command = await load()
    return async function run(this: Cli, flags: Flags, ...words: Words): Promise<void> {
      if (flags.cwd !== undefined) checkFolder(flags.cwd)
      await command(this, flags, ...words)
    }
  }
}
