import type { TrustRequest } from '../../../../config.ts'
import type { Json, JsonObject, Server, Values } from '../../../../index.ts'
import { isLoader, isLoginSecret, shownTexts } from '../../../../internal.ts'
import type { ShownTexts } from '../../../../internal.ts'
import { showCommand } from '../../../terminal/argv.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { placeOf } from '../../output/draw.ts'

/**
 * Everything to review before trusting a server, complete whatever its length (T10). No text of the project may start a new
 * line (T18).
 */
export function drawRequest(request: TrustRequest, canvas: Canvas): string {
  const { server, variables, commands, files, changes, trustedAt } = request
  const { style } = canvas
  const shown = shownTexts(server)
  return [
    `${style.bold(escapeLine(server.name))} is declared by this project in ${where(server.origin, canvas)}.`,
    '',
    ...drawEndpoint(server, shown, canvas),
    ...drawGranted(variables, canvas),
    ...commands.map(
      (line) => `${style.yellow('To resolve its values, it runs:')} ${escapeLine(shown.text(line))}`,
    ),
    ...files.map((file) => `To resolve its values, it reads: ${escapeLine(file)}`),
    ...drawEnvFile(request, canvas),
    ...drawInputs(server),
    ...drawEntries(server, shown, canvas),
    ...(trustedAt === undefined
      ? []
      : ['', `You trusted an earlier version on ${escapeLine(trustedAt)}. What changed:`]),
    ...(request.isEnvFileNew ? ['  The content of its env file was not part of that trust.'] : []),
    ...changes.map(({ pointer, before, after }) =>
      escapeLine(`  ${pointer}: ${json(before)} → ${json(after)}`),
    ),
    '',
    `hash ${request.hash}`,
  ].join('\n')
}

function drawGranted(granted: readonly string[], { style }: Canvas): readonly string[] {
  const secrets = granted.filter((each) => each.startsWith('keychain:'))
  const variables = granted.filter((each) => !secrets.includes(each))
  return [
    ...(variables.length > 0
      ? [`It gets these of your environment variables: ${escapeLine(variables.join(', '))}`]
      : []),
    ...secrets.map(
      (each) => `${style.yellow('It gets this secret from your keychain:')} ${escapeLine(each.slice(9))}`,
    ),
  ]
}

function where(origin: Server['origin'], canvas: Canvas): string {
  return escapeLine(placeOf(origin, canvas))
}

function drawEndpoint(server: Server, shown: ShownTexts, canvas: Canvas): readonly string[] {
  const { transport } = server
  const environment = drawValues('with the environment:', '=', transport.env ?? {}, shown)
  const login = transport.auth ? [`It logs in with: ${drawLogin(transport.auth, shown)}`] : []
  const loaders = drawLoaders(transport, canvas)
  if (transport.kind === 'stdio') {
    return [
      'It would run:',
      commandLine(transport, shown, canvas),
      ...(transport.cwd === undefined ? [] : [`in ${escapeLine(transport.cwd)}`]),
      ...environment,
      ...loaders,
      ...(transport.inheritEnv ? [canvas.style.yellow('It gets your whole environment.')] : []),
      ...login,
    ]
  }
  const { url, socketPath, headers, tls, launch } = transport
  return [
    ...(launch ? ['It would run first:', commandLine(launch, shown, canvas)] : []),
    `It would connect to: ${escapeLine(shown.text(url))}`,
    ...(socketPath === undefined ? [] : [`through the socket ${escapeLine(socketPath)}`]),
    ...drawValues('with the headers:', ': ', headers, shown),
    ...environment,
    ...loaders,
    ...(tls ? [`Its TLS settings: ${escapeLine(json(tls))}`] : []),
    ...login,
  ]
}

function commandLine(
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  shown: ShownTexts,
  { style, width }: Canvas,
): string {
  return showCommand(command, args, { style, width, mask: shown.args })
}

function drawValues(title: string, between: string, values: Values, shown: ShownTexts): readonly string[] {
  const lines = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? shown.value(name, value) : `the variable ${value.env}`
    return escapeLine(`  ${name}${between}${text}`)
  })
  return lines.length > 0 ? [title, ...lines] : []
}

function drawLogin(auth: NonNullable<Server['transport']['auth']>, shown: ShownTexts): string {
  const fields = Object.entries(auth).map(([name, value]) => {
    if (typeof value !== 'string') return [name, value]
    return [name, isLoginSecret(name) ? shown.value(name, value) : shown.text(value, name)]
  })
  return escapeLine(json(Object.fromEntries(fields)))
}

/** Variables that decide what programs load or run, wherever the entry sets them: `A=b` is an argument of `env`. */
function drawLoaders(transport: Server['transport'], { style }: Canvas): readonly string[] {
  const { args, passEnv = [] } =
    transport.kind === 'stdio' ? transport : { args: transport.launch?.args ?? [] }
  const assigned = args.flatMap((arg) => /^([\w.-]+)=/.exec(arg)?.[1] ?? [])
  const set = [...Object.keys(transport.env ?? {}), ...passEnv, ...assigned]
  const names = [...new Set(set)].filter((name) => isLoader(name))
  if (names.length === 0) return []
  return [style.yellow(`Look closely: ${escapeLine(names.join(', '))} (controls what programs load or run)`)]
}

/** T53: the names that the envFile sets. Those that decide what programs load need a place in the entry. */
function drawEnvFile({ server, envFile }: TrustRequest, { style }: Canvas): readonly string[] {
  const names = Object.keys(envFile?.variables ?? {})
  if (names.length === 0) return []
  const { transport } = server
  const listed = [
    ...Object.keys(transport.env ?? {}),
    ...((transport.kind === 'stdio' && transport.passEnv) || []),
  ]
  const loaders = names.filter((name) => isLoader(name) && !listed.includes(name))
  return [
    `Its env file sets: ${escapeLine(names.join(', '))}`,
    ...(loaders.length === 0
      ? []
      : [
          style.yellow(
            `Look closely: ${escapeLine(loaders.join(', '))} of the env file (ignored: the entry does not list such a variable)`,
          ),
        ]),
  ]
}

/** Inputs with their defaults: trust covers the defaults too, because they are used without asking. */
function drawInputs({ inputs = [] }: Server): readonly string[] {
  return inputs.map(({ id, ...input }) => escapeLine(`It asks for the input ${id}: ${json(input)}`))
}

function drawEntries(server: Server, shown: ShownTexts, canvas: Canvas): readonly string[] {
  return server.declared.flatMap((declared) => {
    const place = server.declared.length > 1 ? ` in ${where(declared.origin, canvas)}` : ''
    const lines = entryLines(declared.entry, server, shown).map((line) => escapeLine(`  ${line}`))
    return ['', `The whole entry${place}:`, ...lines]
  })
}

/** One line per key of the entry, complete, including unknown keys. */
export function entryLines(
  entry: JsonObject,
  { transport }: Pick<Server, 'transport'>,
  shown: ShownTexts,
): readonly string[] {
  const login = Object.entries(transport.auth ?? {}).filter(([key]) => isLoginSecret(key))
  const maps: readonly ReadonlyMap<string, unknown>[] = [
    new Map(Object.entries(transport.env ?? {})),
    new Map(Object.entries(transport.kind === 'stdio' ? {} : transport.headers)),
    new Map(login),
  ]
  const isValue = (key: string, text: string) => maps.some((map) => map.get(key) === text)
  const show = (value: Json, key: string): Json => {
    if (typeof value === 'string')
      return isValue(key, value) ? shown.value(key, value) : shown.text(value, key)
    if (Array.isArray(value)) return showList(value as readonly Json[]) // Array.isArray does not narrow a readonly union
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, show(item, name)]))
  }
  const showList = (items: readonly Json[]): Json => {
    const texts = items.filter((item) => typeof item === 'string')
    return texts.length === items.length ? shown.args(texts) : items.map((item) => show(item, ''))
  }
  return Object.entries(entry).map(([key, value]) => `${key}: ${JSON.stringify(show(value, key))}`)
}

function json(value: unknown): string {
  return value === undefined ? '(absent)' : JSON.stringify(value)
}

export function requestToJson(request: TrustRequest): Record<string, unknown> {
  const { server, hash, state, shown, variables, commands, files, envFile, changes } = request
  const inputs = server.inputs && { inputs: server.inputs }
  return {
    name: server.name,
    trust: state,
    hash,
    shown,
    variables,
    commands,
    files,
    ...(envFile && { envFile }),
    ...inputs,
    changes,
  }
}
