import type { Server } from '../server.ts'

/** One program of a command line, with what it gets. */
export interface LaunchedProgram {
  /** Its file name in lower case, without folder and extension. */
  readonly name: string
  readonly args: readonly string[]
  /** Where its arguments start in the entry's list. */
  readonly offset: number
}

/** Programs that start the program after them, and how many of their own arguments come first. */
const wrappers: Readonly<Record<string, RegExp>> = {
  env: /^(?:-.*|[A-Za-z_][A-Za-z0-9_]*=.*)$/s,
  nice: /^-/,
  nohup: /^-/,
  stdbuf: /^-/,
  setsid: /^-/,
  time: /^-/,
  exec: /^-/,
  sudo: /^-/,
  doas: /^-/,
  pkexec: /^-/,
  timeout: /^(?:-|\d)/,
  'xvfb-run': /^-/,
  cmd: /^\/[a-z]$/i,
}

/** The program that an entry starts, and those that it starts in turn through `env`, `sudo`, `cmd /c` and the like. */
export function launchedPrograms({ transport }: Pick<Server, 'transport'>): readonly LaunchedProgram[] {
  const launch = transport.kind === 'stdio' ? transport : transport.launch
  if (!launch) return []
  const chain: LaunchedProgram[] = []
  let next = launch.command
  let offset = 0
  while (chain.length < 8) {
    const name = programName(next)
    chain.push({ name, args: launch.args.slice(offset), offset })
    const skips = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
    if (!skips) break
    while (offset < launch.args.length && skips.test(launch.args[offset] ?? '')) offset++
    const inner = launch.args[offset]
    if (inner === undefined) break
    next = inner
    offset++
  }
  return chain
}

function programName(command: string): string {
  const last = command.split(/[\\/]/).at(-1) ?? command
  return last.toLowerCase().replace(/\.(?:exe|cmd|bat|ps1)$/, '')
}

/** Interpreters and the flags with which they run a text instead of a file. */
const inline: Readonly<Record<string, RegExp>> = {
  shell: /^-[a-z]*c[a-z]*$/,
  node: /^(?:-e|-p|-pe|--eval|--print)(?:=|$)/,
  python: /^-c/,
  perl: /^-[a-z]*[eE]/,
  php: /^-r/,
  deno: /^eval$/,
  powershell: /^-(?:c|com|command|e|ec|enc|encodedcommand)$/i,
  cmd: /^\/[ck]$/i,
}

const kinds: readonly (readonly [RegExp, keyof typeof inline])[] = [
  [/^(?:ba|z|da|k|fi|a|c|tc)?sh$/, 'shell'],
  [/^(?:node|nodejs|bun|tsx|ts-node)$/, 'node'],
  [/^(?:python[\d.]*|pypy[\d.]*)$/, 'python'],
  [/^(?:perl|ruby)[\d.]*$/, 'perl'],
  [/^php[\d.]*$/, 'php'],
  [/^deno$/, 'deno'],
  [/^(?:powershell|pwsh)$/, 'powershell'],
]

export interface InlineCode {
  readonly interpreter: string
  readonly isShell: boolean
  readonly flag: string
  readonly code: string
  readonly index: number
}

/** The text that an interpreter runs, if the entry holds one. */
export function inlineCode(server: Pick<Server, 'transport'>): InlineCode | undefined {
  for (const { name, args, offset } of launchedPrograms(server)) {
    const kind = kinds.find(([pattern]) => pattern.test(name))?.[1]
    const flag = kind === undefined ? undefined : inline[kind]
    const at = flag ? args.findIndex((arg) => flag.test(arg)) : -1
    const isBeforeFile = at >= 0 && args.slice(0, at).every((arg) => arg.startsWith('-'))
    if (!isBeforeFile) continue
    const [own = '', following = ''] = [args[at], args[at + 1]]
    const code = own.includes('=') ? own.slice(own.indexOf('=') + 1) : following
    const isShell = kind === 'shell' || kind === 'powershell'
    return { interpreter: name, isShell, flag: own.split('=')[0] ?? own, code, index: offset + at }
  }
  return undefined
}

/** Options of interpreters whose value is code that runs before the script. */
const loads = /^(?:-r|--require|--import|--loader|--experimental-loader|--preload)$/
/** Options of interpreters with any other value. */
const takesValue =
  /^(?:-C|--conditions|-W|-X|-I|--env-file|--env-file-if-exists|--config|--import-map|--tsconfig|--with|--python|-p)$/
/** Words before the script of interpreters that do more than run one. */
const verbs = /^(?:run|watch|serve)$/

/** The files that an entry runs, as written: the scripts of its interpreter, and its command if that is a path. */
export function startedFiles(server: Pick<Server, 'transport'>): readonly string[] {
  const { transport } = server
  const launch = transport.kind === 'stdio' ? transport : transport.launch
  if (!launch) return []
  const commands = /[\\/]/.test(launch.command) ? [launch.command] : []
  const scripts = inlineCode(server) ? [] : launchedPrograms(server).flatMap(scriptsOf)
  return [...new Set([...commands, ...scripts])]
}

/** T133: the modules that Python is told to run (`-m NAME`); it looks for them in the working directory first. */
export function startedModules(server: Pick<Server, 'transport'>): readonly string[] {
  return launchedPrograms(server).flatMap(({ name, args }) => {
    if (!/^(?:python[\d.]*|pypy[\d.]*|py)$/.test(name)) return []
    for (let at = 0; at < args.length; at++) {
      const arg = args[at] ?? ''
      const [, inline] = /^-[A-Za-z]*m(.*)$/s.exec(arg) ?? []
      if (inline !== undefined) return [inline === '' ? (args[at + 1] ?? '') : inline]
      if (/^-[A-Za-z]*[WX]$/.test(arg)) at++
      else if (!arg.startsWith('-') || /^-[A-Za-z]*c/.test(arg)) return []
    }
    return []
  })
}

function scriptsOf({ name, args }: LaunchedProgram): readonly string[] {
  const isJava = name === 'java'
  const isInterpreter = isJava || name === 'uv' || kinds.some(([pattern]) => pattern.test(name))
  if (!isInterpreter || (name === 'uv' && args[0] !== 'run')) return []
  const found: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    const [option = '', inline] = arg.split(/=(.*)/s)
    // A module is looked up by the interpreter: its file is not known here.
    if (option === '-m') return found
    if (isJava && option === '-jar') return [args[at + 1] ?? '']
    if (loads.test(option)) found.push(inline ?? args[++at] ?? '')
    else if (takesValue.test(option) && inline === undefined) at++
    else if (!arg.startsWith('-') && !(verbs.test(arg) && at === 0)) return isJava ? found : [...found, arg]
  }
  return found
}
