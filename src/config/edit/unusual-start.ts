import { startedPackage } from '../../model/launch/started-package.ts'
import type { NewServer } from '../../sources/entries/write-rules.ts'
import { isLoader } from '../values/loader-variables.ts'

/** A part of a start that decides what code runs, beside a package's name and version. */
export interface UnusualPart {
  readonly text: string
  /**
   * `code`: a variable with a literal text that loads code. `registry`: another place that packages come from.
   * `source`: a package that is an address, a path or an alias. `variable`: any other variable that programs obey.
   */
  readonly kind: 'code' | 'registry' | 'source' | 'variable'
}

const codeVariables =
  /^(?:LD_|DYLD_|NODE_OPTIONS$|NODE_PATH$|BASH_ENV$|ENV$|ZDOTDIR$|PROMPT_COMMAND$|PYTHON(?:PATH|HOME|STARTUP)$|NPM_CONFIG_|PNPM_|YARN_|COREPACK_|BUN_|PIP_|UV_|PERL5|RUBY(?:OPT|LIB)$|_?JAVA_(?:TOOL_)?OPTIONS$|JDK_JAVA_OPTIONS$|DOTNET_STARTUP_HOOKS$|GIT_SSH)/i

/** Whether a variable makes programs load code, apart from one that only says where they connect. */
export function loadsCode(name: string): boolean {
  return codeVariables.test(name)
}

/** Values of NODE_OPTIONS that load nothing. */
const harmlessOptions =
  /^\s*(?:--(?:max-(?:old|semi)-space-size|dns-result-order|stack-trace-limit)=\S+\s*|--(?:no-warnings|no-deprecation|use-system-ca|enable-source-maps)\s*)+$/

const registryOptions =
  /^(?:--(?:registry|index|index-url|default-index|extra-index-url|find-links|config-file|userconfig|globalconfig|script-shell|node-options|pip-args|[\w@-]+:registry|add-source|configfile|source)|-i)(?:=|$)/

/** An address, a path, a file, an alias (`name@npm:other`) or `owner/repository` of npm. */
const sourceSpec =
  /^(?:[a-z][a-z\d+.-]*:|\.{1,2}(?:[\\/]|$)|[\\/~])|@(?:[a-z][a-z\d+.-]*:|\.{0,2}[\\/])|\s@\s/i
const repository = /^[^@./\\][^/\\]*\/[^/\\]+$/

/** T132: what a person should look at before a server from elsewhere is written, since its command alone does not show it. */
export function unusualParts({
  transport,
  launch,
}: Pick<NewServer, 'transport' | 'launch'>): readonly UnusualPart[] {
  const started = transport.kind === 'stdio' ? transport : launch
  if (!started) return []
  const { command, args = [], env = {} } = started
  return [...variablesIn(env, args), ...partsOfRunner({ command, args })]
}

function variablesIn(
  env: NonNullable<NewServer['launch']>['env'],
  args: readonly string[],
): readonly UnusualPart[] {
  const assigned = args.flatMap((arg) => {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(arg) ?? []
    return name === undefined ? [] : [[name, value ?? ''] as const]
  })
  const given = Object.entries(env).map(
    ([name, value]) => [name, typeof value === 'string' ? value : ''] as const,
  )
  return [...given, ...assigned].flatMap(([name, value]): readonly UnusualPart[] => {
    if (!isLoader(name)) return []
    const isReference = value === '' || /^[$%]?\{[^}]*\}$/.test(value)
    const isHarmless = name.toUpperCase() === 'NODE_OPTIONS' && harmlessOptions.test(value)
    const kind = loadsCode(name) && !isReference && !isHarmless ? 'code' : 'variable'
    return [{ kind, text: `${name} (controls what programs load or run)` }]
  })
}

function partsOfRunner({ command, args }: { readonly command: string; readonly args: readonly string[] }) {
  const transport = { kind: 'stdio', command, args, env: {}, framing: 'auto', inheritEnv: false } as const
  const found = startedPackage({ transport })
  if (!found || found.isImage) return []
  const { spec, index, runner } = found
  const end = runner === 'npm exec' && args.includes('--') ? args.indexOf('--') : index
  const own = args.slice(0, end)
  // Its value may have been taken for the package.
  const isValue = /^-[^=]*$/.test(args[index - 1] ?? '') && registryOptions.test(args[index - 1] ?? '')
  const isNpm = !/^(?:uv|pipx)/.test(runner)
  const withs = own.filter((_, at) => /^--(?:with|with-editable|with-requirements)$/.test(own[at - 1] ?? ''))
  return [
    ...own
      .filter((word) => registryOptions.test(word))
      .map((word): UnusualPart => ({ kind: 'registry', text: `${word} (packages come from elsewhere)` })),
    ...[...(isValue ? [] : [spec.replace(/^--\w+=/, '')]), ...withs]
      .filter((each) => sourceSpec.test(each) || (isNpm && repository.test(each)))
      .map((each): UnusualPart => ({
        kind: 'source',
        text: `${each} (no package of a registry by its name)`,
      })),
  ]
}
