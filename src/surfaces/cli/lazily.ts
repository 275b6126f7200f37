import { checkFolder } from './command-context.ts'
import type { Cli, CommonFlags, Live } from './command-context.ts'

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
      const all = this.live ? withShellFlags(flags, this.live) : flags
      if (all.cwd !== undefined) checkFolder(all.cwd)
      await command(this, all, ...words)
    }
  }
}

/** A line of the shell may not say itself whose files are meant, so what the shell was opened with counts. */
function withShellFlags<Flags extends object>(flags: Flags, { flags: shell }: Live): Flags {
  const isGiven = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0)
  const given = Object.entries(flags).filter(([, value]) => isGiven(value))
  return { ...shell, ...Object.fromEntries(given) } as Flags // the same flags, some of them from there
}
