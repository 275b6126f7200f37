import { nearestNames, toListedDiagnostics } from '../../../../internal.ts'
import { addEndpoint, listModels, removeEndpoint, tryModel, useModel } from '../../../../models.ts'
import type { ListedEndpoint, ListedModel, ModelListing, ModelTrial } from '../../../../models.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Column } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { outputOf, setExit, worldOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import { usage } from '../../errors.ts'
import { count, drawProblems } from '../../output/draw.ts'
import { amount, dollars } from '../../output/token-figures.ts'

export interface ModelFlags extends CommonFlags {
  /** Milliseconds. */
  readonly timeout?: number
}

export interface AddModelFlags extends CommonFlags {
  readonly kind?: ListedEndpoint['kind']
  readonly url?: string
  readonly key?: string
  readonly api?: 'responses' | 'chat'
  /** `K=V` each. */
  readonly header?: readonly string[]
  readonly force?: boolean
}

/** Lists the endpoints and their models. An endpoint that does not answer is a row, not a failure. */
export async function models(cli: Cli, flags: ModelFlags, endpoint?: string): Promise<void> {
  const output = outputOf(cli, flags)
  const { timeout } = flags
  const { diagnostics, ...listing } = await cli.signals.guard(({ signal }) =>
    listModels({
      ...worldOf(cli, flags),
      signal,
      ...(endpoint !== undefined && { endpoint }),
      ...(timeout !== undefined && { timeoutMs: timeout }),
    }),
  )
  const problems = diagnostics.length > 0 ? { diagnostics: toListedDiagnostics(diagnostics) } : {}
  output.result({ ...listing, ...problems }, (canvas) => draw(listing, canvas))
  for (const line of drawProblems(diagnostics, output.notes)) output.note(line)
  for (const line of nextSteps(listing, endpoint)) output.note(line)
  await output.flush()
}

type Listing = Omit<ModelListing, 'diagnostics'>

function nextSteps({ default: chosen, endpoints }: Listing, asked: string | undefined): readonly string[] {
  const steps = endpoints.flatMap(({ name, state, problem }) => {
    // Programs of this machine that are not running are the usual state; of an endpoint that was asked for, it is news.
    if (state === 'refused' || (state === 'unreachable' && asked === name))
      return [problem?.message ?? '', problem?.hint ?? ''].filter((line) => line !== '')
    return []
  })
  if (chosen !== undefined) return steps
  const [first] = endpoints.flatMap((each) => each.models)
  return [...steps, `No model is chosen. Choose one: plugboard models use ${first?.ref ?? 'ENDPOINT/MODEL'}`]
}

function draw({ default: chosen, endpoints }: Listing, canvas: Canvas): string {
  const offered = endpoints.flatMap((each) => each.models)
  const tables = [drawEndpoints(endpoints, canvas)]
  if (offered.length > 0) tables.push(drawModels(offered, chosen, canvas))
  return tables.join('\n\n')
}

function drawEndpoints(endpoints: readonly ListedEndpoint[], { style, width }: Canvas): string {
  return renderTable<ListedEndpoint>(
    [
      { title: 'ENDPOINT', value: ({ name }) => name, fit: 'essential', paint: style.bold },
      {
        title: 'STATE',
        value: stateOf,
        fit: 'essential',
        paint: (text, { state }) => (state === 'ready' ? style.green(text) : style.dim(text)),
      },
      {
        title: 'KEY',
        // Of an endpoint without one: the variable that would hold it.
        value: ({ key, keyVariables: [variable] = [] }) => key ?? (variable ? `set ${variable}` : ''),
        fit: { shrinkTo: 8 },
        paint: (text, { key }) => (key === undefined ? style.dim(text) : text),
      },
      { title: 'URL', value: ({ url }) => url, fit: { shrinkTo: 14 }, paint: style.dim },
    ],
    endpoints,
    { width, paintTitle: style.dim },
  )
}

function stateOf({ state, models: offered, url }: ListedEndpoint): string {
  if (state === 'ready') return count(offered.length, 'model')
  if (state === 'no-key') return 'no key'
  if (state === 'refused') return 'refused'
  return /^https?:\/\/(?:127\.|localhost|\[::1\])/.test(url) ? 'not running' : 'unreachable'
}

function drawModels(
  offered: readonly ListedModel[],
  chosen: string | undefined,
  { style, width }: Canvas,
): string {
  const columns: readonly Column<ListedModel>[] = [
    {
      title: 'MODEL',
      value: ({ ref }) => (ref === chosen ? `${ref} (default)` : ref),
      fit: 'essential',
      paint: (text, { ref }) => (ref === chosen ? style.green(text) : style.bold(text)),
    },
    { title: 'WINDOW', value: ({ window }) => amount(window), align: 'right' },
    { title: '$/M IN', value: ({ price }) => dollars(price?.input), align: 'right' },
    { title: '$/M OUT', value: ({ price }) => dollars(price?.output), align: 'right' },
    { title: 'NAME', value: ({ title = '' }) => title, fit: { shrinkTo: 10 }, paint: style.dim },
  ]
  // Local programs tell neither windows nor prices.
  const known = columns.filter(({ value }) => offered.some((each) => value(each) !== ''))
  return renderTable(known, offered, { width, paintTitle: style.dim })
}

export async function addModels(cli: Cli, flags: AddModelFlags, name: string): Promise<void> {
  refuseProject(flags)
  const output = outputOf(cli, flags)
  const { kind, url, key, api, header = [], force = false } = flags
  const edited = await addEndpoint(
    name,
    {
      ...(kind && { kind }),
      ...(url !== undefined && { url }),
      ...(key !== undefined && { key }),
      ...(api && { api }),
      headers: Object.fromEntries(header.map(parseHeader)),
    },
    { ...worldOf(cli, flags), force },
  )
  output.result({ ...edited, action: 'added' }, ({ path }) =>
    edited.changed
      ? `The endpoint ${name} is in ${path(edited.file)}.`
      : `${path(edited.file)} says that already.`,
  )
  output.note(`See what it offers: plugboard models ${name}`)
  await output.flush()
}

function parseHeader(item: string): readonly [string, string] {
  const at = item.indexOf('=')
  if (at < 1) throw usage('--header takes K=V.')
  return [item.slice(0, at), item.slice(at + 1)]
}

export async function removeModels(cli: Cli, flags: CommonFlags, name: string): Promise<void> {
  refuseProject(flags)
  const output = outputOf(cli, flags)
  const edited = await removeEndpoint(name, worldOf(cli, flags))
  output.result(
    { ...edited, action: 'removed' },
    ({ path }) => `The endpoint ${name} is no longer in ${path(edited.file)}.`,
  )
  await output.flush()
}

export async function useModels(cli: Cli, flags: CommonFlags, ref: string): Promise<void> {
  refuseProject(flags)
  const output = outputOf(cli, flags)
  const { model, changed, file } = await useModel(ref, worldOf(cli, flags))
  output.result({ model, changed, file }, ({ path }) =>
    changed ? `chat and run now use ${model} (${path(file)}).` : `${model} was already the default.`,
  )
  const unlisted = await cli.signals.guard(({ signal }) =>
    findUnlisted(model, { ...worldOf(cli, flags), signal }),
  )
  if (unlisted !== undefined) output.warn(unlisted)
  output.note(`Test it: plugboard models test`)
  await output.flush()
}

const listMs = 3000

/** A sentence if the endpoint of a model answers now and lists others only. It may still take the name: not all list aliases. */
async function findUnlisted(
  ref: string,
  options: { readonly cwd?: string; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const [, name = '', id = ''] = /^([^/]+)\/(.*)$/s.exec(ref) ?? []
  const { endpoints } = await listModels({ ...options, endpoint: name, timeoutMs: listMs })
  const ids = endpoints.flatMap((each) => each.models.map((model) => model.id))
  if (ids.length === 0 || ids.includes(id)) return undefined
  const near = nearestNames(id, ids).map((each) => `${name}/${each}`)
  const next = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `See: plugboard models ${name}`
  return `${name} does not list a model "${id}". ${next}`
}

/** Sends one small request. An endpoint that does not carry it out is an error; a model that calls no tool is a result. */
export async function testModels(cli: Cli, flags: ModelFlags, ref?: string): Promise<void> {
  const output = outputOf(cli, flags)
  output.progress('Asking the model …')
  const began = performance.now()
  const trial = await cli.signals.guard(({ signal }) => tryModel(ref, { ...worldOf(cli, flags), signal }), {
    timeoutMs: flags.timeout,
  })
  const ms = Math.round(performance.now() - began)
  output.result({ ...trial, ms }, (canvas) => drawTrial(trial, ms, canvas))
  if (!trial.callsTools) setExit(cli, 'refused')
  await output.flush()
}

function drawTrial(trial: ModelTrial, ms: number, { style }: Canvas): string {
  const { model, callsTools, reportsUsage, inputTokens = 0, outputTokens = 0, text } = trial
  const line = (isGood: boolean, words: string) =>
    `${isGood ? style.green('yes') : style.yellow('no ')}  ${words}`
  return [
    `${style.bold(model)} answered in ${(ms / 1000).toFixed(1)} s`,
    line(true, 'it can be reached, and takes the key'),
    line(callsTools, callsTools ? 'it calls tools' : 'it did not call the tool it was asked to call'),
    line(
      reportsUsage,
      reportsUsage
        ? `it reports its usage: ${inputTokens} tokens in, ${outputTokens} out`
        : 'it does not report its usage',
    ),
    ...(callsTools || text === '' ? [] : [`It said: ${text}`]),
  ].join('\n')
}

function refuseProject({ scope }: CommonFlags): void {
  if (scope === 'project')
    throw usage('Models are set up per user: a project cannot choose where your data goes.')
}
