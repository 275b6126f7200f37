import type { ClientCall, ClientFacts, GatewayFacts } from '../../api/client-routes.ts'
import {
  clientTitle,
  connectFacts,
  describeClientCall,
  describeClients,
  describeGateway,
} from '../../facts/desk/client-facts.ts'
import { durationText } from '../../../internal.ts'
import { shortenHome } from '../../facts/place-facts.ts'
import type { Canvas, Output } from '../../terminal/terminal-output.ts'
import { paintTone } from '../../terminal/paint-tone.ts'
import { outputOf } from '../command-context.ts'
import type { Cli, CommonFlags } from '../command-context.ts'

/** Prints who connects and what they call, a line each, until Ctrl-C. `--json` prints a stream of objects. */
export async function watchDesk(cli: Cli, flags: CommonFlags): Promise<void> {
  const output = outputOf(cli, flags, { form: 'lines' })
  const { DeskWatch } = await import('../../gateway/desk/watch-desks.ts')
  const { env } = cli.process
  const shorten = shortenHome(env['HOME'] ?? env['USERPROFILE'] ?? '')
  const seen = new SeenClients(output, flags.json === true)
  await cli.signals.guard(async ({ signal }) => {
    using watch = new DeskWatch({
      preset: flags.preset,
      onStatus: (gateways) =>
        seen.follow(
          gateways.map(describeGateway),
          gateways.flatMap((each) => describeClients(each, watch.calls, shorten)),
        ),
      onCall: (call) => seen.show(describeClientCall(call)),
    })
    await watch.begin()
    if (watch.gateways.length === 0)
      output.note(`${connectFacts.sentence} Move those of a client there: ${connectFacts.command}`)
    await new Promise<void>((resolve) => {
      for (const end of [signal, output.closed])
        end.addEventListener('abort', () => resolve(), { once: true })
    })
  })
  await output.flush()
}

/** Prints what is new: clients that came or left, and each step of their calls. */
class SeenClients {
  readonly #output: Output
  readonly #isJson: boolean
  readonly #since = Date.now()
  #clients: ReadonlyMap<string, ClientFacts> = new Map()
  /** What was printed of each call that runs. */
  readonly #shown = new Map<string, string>()
  #json = ''

  constructor(output: Output, isJson: boolean) {
    this.#output = output
    this.#isJson = isJson
  }

  follow(gateways: readonly GatewayFacts[], clients: readonly ClientFacts[]): void {
    const before = this.#clients
    // A client is known by its name once it has greeted.
    this.#clients = new Map(clients.flatMap((each) => (each.era === undefined ? [] : [[each.id, each]])))
    const text = JSON.stringify([gateways, clients])
    const came = [...this.#clients.values()].filter(({ id }) => !before.has(id))
    const left = [...before.values()].filter(({ id }) => !this.#clients.has(id))
    if (text === this.#json || (!this.#isJson && came.length + left.length === 0)) return
    this.#json = text
    this.#output.result({ type: 'clients', gateways, clients }, (canvas) =>
      [
        ...came.map((each) => stamped(`+ ${clientTitle(each)} in ${each.shownFolder}`, canvas)),
        ...left.map((each) => stamped(`- ${clientTitle(each)} has left`, canvas)),
      ].join('\n'),
    )
  }

  show(call: ClientCall): void {
    const isOver = call.ms !== undefined
    // What ended before is history.
    if (isOver && call.at < this.#since && !this.#shown.has(call.id)) return
    const line = `${call.word} ${call.detail ?? ''} ${call.question ?? ''}`
    if (this.#shown.get(call.id) === line) return
    if (isOver) this.#shown.delete(call.id)
    else this.#shown.set(call.id, line)
    const client = this.#clients.get(call.client)
    this.#output.result({ type: 'call', call }, (canvas) => drawCall(call, client, canvas))
  }
}

function drawCall(call: ClientCall, client: ClientFacts | undefined, canvas: Canvas): string {
  const { server, name, tone, word, ms, detail, question } = call
  const parts = [
    client?.name ?? `client ${call.client}`,
    server === '' ? name : `${server} ${name}`,
    paintTone(word, tone, canvas.style),
    ...(ms === undefined ? [] : [durationText(ms)]),
    ...(detail === undefined ? [] : [detail]),
    ...(question === undefined ? [] : [`plugboard answer ${question.slice(0, 8)}`]),
  ]
  return stamped(parts.join('  '), canvas)
}

function stamped(text: string, { style }: Canvas): string {
  return `${style.dim(new Date().toTimeString().slice(0, 8))}  ${text}`
}
