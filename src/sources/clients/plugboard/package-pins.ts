/** Programs that fetch a package and run it. */
const npm = ['npx', 'bunx', 'pnpx', 'pnpm', 'yarn', 'npm', 'bun']
const python = ['uvx', 'uv', 'pipx']
const containers = ['docker', 'podman', 'nerdctl']

/** T03: the index of the argument that names a package without an exact version, so that its code can change any time. */
export function unpinnedArgument(command: string, args: readonly string[]): number | undefined {
  const program = (command.split(/[\\/]/).at(-1) ?? '').replace(/\.(?:cmd|exe|ps1)$/i, '').toLowerCase()
  const index = packageIn(program, args)
  const name = args[index ?? -1]
  if (index === undefined || name === undefined || isNotPackage(name)) return undefined
  return isPinned(program, name) ? undefined : index
}

function packageIn(program: string, args: readonly string[]): number | undefined {
  if (containers.includes(program)) return args.includes('run') ? imageIn(args) : undefined
  const words = subcommand[program]
  if (!npm.includes(program) && !python.includes(program)) return undefined
  const start = words ? args.findIndex((arg) => words.includes(arg)) + 1 : 0
  if (words && start === 0) return undefined
  for (let index = start; index < args.length; index++) {
    const arg = args[index] ?? ''
    if (namesPackage.has(arg)) return index + 1
    if (takesValue.has(arg)) index++
    else if (!arg.startsWith('-')) return index
  }
  return undefined
}

/** The subcommands that run a package, for programs that have others too. */
const subcommand: Readonly<Record<string, readonly string[]>> = {
  pnpm: ['dlx'],
  yarn: ['dlx'],
  npm: ['exec', 'x'],
  bun: ['x'],
  uv: ['x'],
  pipx: ['run'],
}
const namesPackage = new Set(['-p', '--package', '--from', '--spec'])
const takesValue = new Set(['-c', '--call', '--with', '--python', '--index-url', '--directory', '--registry'])

/** The first argument after `run` that is neither an option nor the value of one. */
function imageIn(args: readonly string[]): number | undefined {
  const alone = /^(?:-[itdP]+|--(?:rm|interactive|tty|detach|init|privileged|read-only))$|^--?[^=]+=/
  for (let index = args.indexOf('run') + 1; index < args.length; index++) {
    const arg = args[index] ?? ''
    if (!arg.startsWith('-')) return index
    if (!alone.test(arg)) index++
  }
  return undefined
}

/** A path, a url or a placeholder is not a package name. */
function isNotPackage(name: string): boolean {
  return /^(?:[./~]|[a-z+]+:\/\/|git\+|file:)|\$\{|^\{/i.test(name)
}

function isPinned(program: string, name: string): boolean {
  if (containers.includes(program)) return /@sha256:[0-9a-f]{64}$/.test(name)
  if (python.includes(program)) return /(?:==|@)\d+(?:\.\w+)+$/.test(name)
  return /.@v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(name)
}
