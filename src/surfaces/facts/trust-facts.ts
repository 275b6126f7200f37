import { basename } from 'node:path'
import type { TrustRequest } from '../../config.ts'
import type { Server, Values } from '../../index.ts'
import { describeRunner, isLoader, isLoginSecret, loadsCode, shownTexts } from '../../internal.ts'
import type { ShownTexts } from '../../internal.ts'
import type { TrustFacts } from '../api/server-routes.ts'
import { describeRisks, quote } from '../terminal/argv.ts'
import { escapeLine } from '../terminal/escape.ts'
import { markBlanks } from '../terminal/marked-blanks.ts'
import { entryLines } from './entry-lines.ts'
import { describePart } from './findings/lock-facts.ts'
import { describePlace } from './place-facts.ts'
import type { ShortenPath } from './place-facts.ts'

type Line = TrustFacts['lines'][number]

/** What a decision about a server is made from: a request for trust, or an entry that is not written yet. */
export type TrustSubject = Pick<
  TrustRequest,
  | 'server'
  | 'hash'
  | 'state'
  | 'variables'
  | 'commands'
  | 'files'
  | 'envFile'
  | 'changes'
  | 'trustedAt'
  | 'isEnvFileNew'
  | 'isPinned'
  | 'lock'
  | 'lockDifferences'
>

/**
 * Everything to review before trusting a server, complete whatever its length (T10). No text of the project may start a new
 * line (T18), or fill the screen with blanks.
 */
export function describeTrust(request: TrustSubject, shorten: ShortenPath): TrustFacts {
  const { server, hash, state, variables, commands, files, changes, trustedAt } = request
  const { transport } = server
  const shown = shownTexts(server)
  const program = transport.kind === 'stdio' ? transport : transport.launch
  return {
    server: escapeLine(server.name),
    hash,
    state,
    declared: describePlace(server.origin, shorten),
    ...(program && {
      command: [...shown.args([program.command]), ...shown.args(program.args)].map((word) =>
        markBlanks(quote(word)),
      ),
    }),
    ...(transport.kind === 'stdio' && transport.cwd !== undefined && { cwd: shownLine(transport.cwd) }),
    ...(transport.kind !== 'stdio' && { url: shownLine(shown.text(transport.url)) }),
    lines: [
      ...(program ? riskLines(program) : []),
      ...endpointLines(server, shown),
      ...describeRunner(server).map(({ text, isWarning }) => (isWarning ? warning(text) : plain(text))),
      ...grantedLines(variables),
      ...commands.map((line) => warning(`To resolve its values, it runs: ${shown.text(line)}`)),
      ...files.map((file) => plain(`To resolve its values, it reads: ${file}`)),
      ...envFileLines(request),
      ...notPinnedLines(request),
      // Trust covers the defaults of inputs too, because they are used without asking.
      ...(server.inputs ?? []).map(({ id, ...input }) =>
        plain(`It asks for the input ${id}: ${json(input)}`),
      ),
      ...lockLines(request),
    ],
    entries: server.declared.map((declared) => ({
      declared: describePlace(declared.origin, shorten),
      lines: entryLines(declared.entry, server, shown).map(shownLine),
    })),
    ...(trustedAt !== undefined && { trustedAt: escapeLine(trustedAt) }),
    changes: changes.map(({ pointer, before, after }) => ({
      pointer: shownLine(pointer),
      before: textOrNull(before),
      after: textOrNull(after),
    })),
    changeNotes: request.isEnvFileNew ? ['The content of its env file was not part of that trust.'] : [],
  }
}

function riskLines({ command, args }: { readonly command: string; readonly args: readonly string[] }) {
  const risks = describeRisks([command, ...args])
  return risks.length === 0 ? [] : [warning(`Look closely: ${risks.join(', ')}`)]
}

function endpointLines({ transport }: Server, shown: ShownTexts): readonly Line[] {
  const environment = valueLines('with the environment:', '=', transport.env ?? {}, shown)
  const login = transport.auth ? [plain(`It logs in with: ${loginText(transport.auth, shown)}`)] : []
  if (transport.kind === 'stdio') {
    return [
      ...(transport.cwd === undefined ? [] : [plain(`in ${transport.cwd}`)]),
      ...environment,
      ...loaderLines(transport),
      ...(transport.inheritEnv ? [warning('It gets your whole environment.')] : []),
      ...login,
    ]
  }
  const { url, socketPath, headers, tls } = transport
  return [
    plain(`It would connect to: ${shown.text(url)}`),
    ...(socketPath === undefined ? [] : [plain(`through the socket ${socketPath}`)]),
    ...valueLines('with the headers:', ': ', headers, shown),
    ...environment,
    ...loaderLines(transport),
    ...(tls ? [plain(`Its TLS settings: ${json(tls)}`)] : []),
    ...login,
  ]
}

function grantedLines(granted: readonly string[]): readonly Line[] {
  const secrets = granted.filter((each) => each.startsWith('keychain:'))
  const variables = granted.filter((each) => !secrets.includes(each))
  return [
    ...(variables.length > 0
      ? [plain(`It gets these of your environment variables: ${variables.join(', ')}`)]
      : []),
    ...secrets.map((each) => warning(`It gets this secret from your keychain: ${each.slice(9)}`)),
  ]
}

function valueLines(title: string, between: string, values: Values, shown: ShownTexts): readonly Line[] {
  const lines = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? shown.value(name, value) : `the variable ${value.env}`
    return plain(`  ${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)}${between}${text}`)
  })
  return lines.length > 0 ? [plain(title), ...lines] : []
}

function loginText(auth: NonNullable<Server['transport']['auth']>, shown: ShownTexts): string {
  const fields = Object.entries(auth).map(([name, value]) => {
    if (typeof value !== 'string') return [name, value]
    return [name, isLoginSecret(name) ? shown.value(name, value) : shown.text(value, name)]
  })
  return json(Object.fromEntries(fields))
}

/** Variables that decide what programs load or run, wherever the entry sets them: `A=b` is an argument of `env`. */
function loaderLines(transport: Server['transport']): readonly Line[] {
  const { args, passEnv = [] } =
    transport.kind === 'stdio' ? transport : { args: transport.launch?.args ?? [] }
  const assigned = args.flatMap((arg) => /^([\w.-]+)=/.exec(arg)?.[1] ?? [])
  const set = [...Object.keys(transport.env ?? {}), ...passEnv, ...assigned]
  const names = [...new Set(set)].filter((name) => isLoader(name))
  if (names.length === 0) return []
  return [warning(`Look closely: ${names.join(', ')} (controls what programs load or run)`)]
}

/** T133: `pinFiles` covers the files that a command line leads to, not what variables make a program load. */
function notPinnedLines({ server, isPinned }: Pick<TrustSubject, 'server' | 'isPinned'>): readonly Line[] {
  if (!isPinned) return []
  const names = Object.keys(server.transport.env ?? {}).filter((name) => loadsCode(name))
  return names.length === 0 ? [] : [warning(`Not pinned: what ${names.join(', ')} loads`)]
}

/** T53: the names that the envFile sets. Those that decide what programs load need a place in the entry. */
function envFileLines({ server, envFile }: Pick<TrustSubject, 'server' | 'envFile'>): readonly Line[] {
  const names = Object.keys(envFile?.variables ?? {})
  if (names.length === 0) return []
  const { transport } = server
  const listed = [
    ...Object.keys(transport.env ?? {}),
    ...((transport.kind === 'stdio' && transport.passEnv) || []),
  ]
  const loaders = names.filter((name) => isLoader(name) && !listed.includes(name))
  const ignored = 'of the env file (ignored: the entry does not list such a variable)'
  return [
    plain(`Its env file sets: ${names.join(', ')}`),
    ...(loaders.length === 0 ? [] : [warning(`Look closely: ${loaders.join(', ')} ${ignored}`)]),
  ]
}

/** The lock file comes with the project too: it says whether the team agreed on this form, and grants nothing. */
function lockLines({
  lock,
  lockDifferences = [],
}: Pick<TrustSubject, 'lock' | 'lockDifferences'>): readonly Line[] {
  if (!lock) return []
  const file = basename(lock.file)
  switch (lock.kind) {
    case 'broken':
      return [
        warning(`${file} of the project cannot be used (line ${lock.line}): ${lock.problem} ${lock.hint}`),
      ]
    case 'missing':
      return [warning(`${file} of the project does not have it: it was not agreed on.`)]
    case 'locked': {
      if (lockDifferences.length > 0)
        return [
          warning(`It differs from ${file} of the project, so it was not agreed on like this:`),
          ...lockDifferences.map((each) => warning(`  ${describePart(each)}`)),
        ]
      const { package: owner, version = '', tools } = lock.locked
      const program = owner === undefined ? [] : [`${owner} ${version}`.trim()]
      const agreed = [...program, `${tools.size} ${tools.size === 1 ? 'tool' : 'tools'}`].join(', ')
      return [plain(`It is as ${file} of the project has it: ${agreed}.`)]
    }
    default:
      return lock satisfies never
  }
}

function plain(text: string): Line {
  return { text: shownLine(text), isWarning: false }
}

function warning(text: string): Line {
  return { text: shownLine(text), isWarning: true }
}

function shownLine(text: string): string {
  return markBlanks(escapeLine(text))
}

function textOrNull(value: unknown): string | null {
  return value === undefined ? null : shownLine(JSON.stringify(value))
}

function json(value: unknown): string {
  return value === undefined ? '(absent)' : JSON.stringify(value)
}
