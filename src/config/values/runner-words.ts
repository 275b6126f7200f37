import { basename } from 'node:path'

/** A program and its arguments, from some word of a command line on. */
export interface ProgramWords {
  readonly program: string
  readonly args: readonly string[]
  /** The number of arguments before these that belong to programs that run this one, such as `/c npx`. */
  readonly offset: number
  /**
   * The number of arguments before the program that a wrapper with paths of its own runs. The folder is changed there,
   * not for the wrapper.
   */
  readonly entered?: number
}

/** The name of a program without folder and extension. */
export function nameOf(program: string): string {
  return basename(program.replaceAll('\\', '/'))
    .replace(/\.(?:exe|cmd|bat|ps1)$|-cli\.js$/i, '')
    .toLowerCase()
}

interface Wrapper {
  /** Its options with a value in the next word. */
  readonly valued?: RegExp
  /** Words before the program that are neither options nor values. */
  readonly skipped?: RegExp
  /** The number of operands before the program, such as the lock file of `flock`. */
  readonly operands?: number
  /** Its own words may be relative paths, so it starts in the working directory. */
  readonly hasPaths?: true
}

/** Programs that run what follows their options. */
const wrappers: Readonly<Record<string, Wrapper>> = {
  caffeinate: { valued: /^-[tw]$/ },
  doas: { valued: /^-[uC]$/ },
  ionice: { valued: /^-[cnpPu]$/ },
  sudo: {
    valued: /^(?:-[ugpCDhRTt]|--(?:user|group|prompt|chdir|host|role|type))$/,
    skipped: /^\w+=/,
  },
  time: { valued: /^-[fo]$/ },
  cmd: { skipped: /^\// },
  env: { valued: /^(?:-[uC]|--unset|--chdir)$/, skipped: /=/ },
  nice: { valued: /^(?:-n|--adjustment)$/ },
  nohup: {},
  setsid: {},
  stdbuf: { valued: /^(?:-[ioe]|--input|--output|--error)$/ },
  timeout: { valued: /^(?:-[ks]|--kill-after|--signal)$/, skipped: /^[\d.]+[smhd]?$/ },
  chrt: { valued: /^-[TPD]$/, skipped: /^\d+$/, hasPaths: true },
  'dbus-run-session': { valued: /^--(?:config-file|dbus-daemon)$/, hasPaths: true },
  'dumb-init': { hasPaths: true },
  fakeroot: { valued: /^-[lisb]$/, hasPaths: true },
  flock: {
    valued: /^(?:-[wE]|--(?:wait|timeout|conflict-exit-code))$/,
    operands: 1,
    hasPaths: true,
  },
  gosu: { operands: 1, hasPaths: true },
  ltrace: { valued: /^-[aAeDFlnopsuwxX]$/, hasPaths: true },
  nsenter: { valued: /^(?:-[tSG]|--(?:target|setuid|setgid))$/, hasPaths: true },
  numactl: { valued: /^-[NmCipP]$/, hasPaths: true },
  prlimit: { valued: /^(?:-[po]|--(?:pid|output))$/, hasPaths: true },
  proxychains: { valued: /^-f$/, hasPaths: true },
  proxychains4: { valued: /^-f$/, hasPaths: true },
  setarch: { operands: 1, hasPaths: true },
  setpriv: {
    valued:
      /^--(?:r?e?[ug]id|groups|inh-caps|ambient-caps|bounding-set|securebits|selinux-label|apparmor-profile|pdeathsig)$/,
    hasPaths: true,
  },
  strace: { valued: /^(?:-[abeEIoOpPsSuUX]|--(?:attach|output|trace|user|env))$/, hasPaths: true },
  'su-exec': { operands: 1, hasPaths: true },
  taskset: { operands: 1, hasPaths: true },
  tini: { valued: /^-[pe]$/, hasPaths: true },
  torsocks: { hasPaths: true },
  unbuffer: { hasPaths: true },
  unshare: {
    valued:
      /^(?:-[SGRwl]|--(?:setuid|setgid|root|wd|map-users?|map-groups?|propagation|setgroups|monotonic|boottime))$/,
    hasPaths: true,
  },
  winpty: { hasPaths: true },
  xargs: { valued: /^-[aEdILnPs]$/, hasPaths: true },
  'xvfb-run': {
    valued: /^(?:-[enfpsw]|--(?:error-file|server-num|auth-file|server-args|xauth-protocol|wait))$/,
    hasPaths: true,
  },
}

/**
 * Programs that run some of their words, in a place that their options decide (`find -exec`, `flock -c TEXT`), and all
 * those of the table above, in which an option may be missing.
 */
export const textWrappers = new RegExp(
  `^(?:${Object.keys(wrappers).join('|')}|find|su|script|watch|parallel|entr|firejail|bwrap|perf|gdb|valgrind|systemd-run|nix|nix-shell|direnv|hyperfine|rlwrap|runuser|chroot)$`,
)

/** Programs that set variables, such as secrets, and run what follows `--`. */
export const dashWrappers = /^(?:op|doppler|infisical|dotenvx?|chamber|aws-vault|envchain|mise)$/

/** `cmd /c npx …` and `env NAME=value npx …` run what follows, also within each other; `node …/npx-cli.js` is `npx`. */
export function unwrap(words: ProgramWords): ProgramWords {
  const name = nameOf(words.program)
  if (dashWrappers.test(name)) return startAt(words.args.indexOf('--') + 1 || -1, words)
  if (name === 'node') return startAt(words.args.findIndex(isScriptOfNpm), words)
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  if (!wrapper) return words
  const { args } = words
  const { valued, skipped, operands = 0, hasPaths } = wrapper
  let passed = 0
  const next = args.findIndex((word, index) => {
    if (word.startsWith('-') || skipped?.test(word) || valued?.test(args[index - 1] ?? '')) return false
    return passed++ === operands
  })
  return startAt(next, hasPaths && next >= 0 ? { entered: words.offset + next, ...words } : words)
}

function startAt(next: number, words: ProgramWords): ProgramWords {
  const { args, offset } = words
  const program = args[next]
  if (program === undefined) return words
  return unwrap({ ...words, program, args: args.slice(next + 1), offset: offset + next + 1 })
}

export function isScriptOfNpm(word: string): boolean {
  return /[\\/]np[mx]-cli\.js$/.test(word)
}

/** Options with a value in the next word, by program. npm takes its options anywhere before `--`. */
const valuedOptions: readonly { readonly program: RegExp; readonly options: RegExp }[] = [
  { program: /^py/, options: /^-[A-Za-z]*[WX]$|^--check-hash-based-pycs$/ },
  {
    program: /^uvx?$/,
    options:
      /^(?:-[pPCcbfiw]|--(?:directory|project|config-file|cache-dir|python|python-platform|color|with(?:-editable|-requirements)?|from|extra|no-extra|group|no-group|only-group|env-file|index|default-index|index-url|extra-index-url|find-links|index-strategy|keyring-provider|allow-insecure-host|package|resolution|prerelease|exclude-newer|link-mode|config-setting|constraints|overrides|build-constraints))$/,
  },
  {
    program: /^bunx?$/,
    options:
      /^(?:-[cdeFlpr]|--(?:cwd|config|env-file|preload|require|import|define|loader|eval|print|package|filter|conditions|port|install|shell|tsconfig-override))$/,
  },
  {
    program: /^pnp[mx]$/,
    options: /^(?:-[CF]|--(?:dir|filter|package|reporter|loglevel|registry|store-dir))$/,
  },
  { program: /^yarn/, options: /^(?:-p|--(?:cwd|package))$/ },
  {
    program: /^(?:[gb]?make|just|rake)$/,
    options: /^(?:-[CfIjloW]|--(?:directory|file|makefile|justfile|rakefile|working-directory))$/,
  },
  { program: /^pipx$/, options: /^(?:-i|--(?:spec|python|pip-args|index-url|backend|with))$/ },
]

const verbs = /^(?:run|exec|x|dlx)$/

/**
 * The words that a runner itself reads: its options with their values, and its verb. What follows is the program that it
 * runs, with arguments that may look like the runner's own options.
 */
export function ownWords(name: string, args: readonly string[]): readonly string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  if (name === 'npm') return args.slice(0, end)
  const valued = valuedOptions.find(({ program }) => program.test(name))?.options
  let hasVerb = false
  let at = 0
  while (at < end) {
    const word = args[at] ?? ''
    if (word.startsWith('-')) at += valued?.test(word) ? 2 : 1
    else if (!hasVerb && verbs.test(word)) {
      hasVerb = true
      at++
    } else break
  }
  return args.slice(0, Math.min(at, end))
}

/** The program, package or script that a runner is told to run. */
export function operandOf(name: string, args: readonly string[]): string | undefined {
  return args.slice(ownWords(name, args).length).find((word) => word !== '--')
}
