import { version } from '../../../index.ts'
import type { Host } from '../../../index.ts'

/** How a request ended. */
export type RequestOutcome = 'done' | 'error' | 'cancelled'

/** Seconds, as Prometheus writes bounds. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const

interface Histogram {
  readonly counts: number[]
  sum: number
  count: number
}

/**
 * Counts requests and writes them in the text format of Prometheus. Labels have values of closed sets only (methods of the
 * protocol, outcomes, states of servers, statuses): no name that a caller sends becomes one.
 */
export class Metrics {
  readonly #requests = new Map<string, number>()
  readonly #seconds = new Map<string, Histogram>()
  readonly #refused = new Map<number, number>()
  readonly #isMethod: (method: string) => boolean

  constructor(isMethod: (method: string) => boolean) {
    this.#isMethod = isMethod
  }

  /** A request that has ended. */
  observe(method: string, outcome: RequestOutcome, seconds: number): void {
    const known = this.#isMethod(method) ? method : 'other'
    const key = `method="${known}",outcome="${outcome}"`
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1)
    const histogram = this.#histogramOf(known)
    const at = bounds.findIndex((bound) => seconds <= bound)
    const slot = at < 0 ? bounds.length : at
    histogram.counts[slot] = (histogram.counts[slot] ?? 0) + 1
    histogram.sum += seconds
    histogram.count++
  }

  /** A request that was answered before it was a message. */
  refused(status: number): void {
    this.#refused.set(status, (this.#refused.get(status) ?? 0) + 1)
  }

  write(now: {
    readonly host: Host
    readonly open: number
    readonly sessions: number
    readonly configVersion?: number | undefined
  }): string {
    const states = new Map<string, number>()
    for (const { status } of now.host.servers()) states.set(status.state, (states.get(status.state) ?? 0) + 1)
    const { user, system } = process.cpuUsage()
    return [
      ...family('plugboard_build_info', 'gauge', 'The version that runs.', [[`version="${version}"`, 1]]),
      ...family('plugboard_gateway_requests_total', 'counter', 'Requests that have ended.', this.#requests),
      ...this.#writeSeconds(),
      ...family(
        'plugboard_gateway_refused_total',
        'counter',
        'Requests that were refused before they were read, by status.',
        [...this.#refused].map(([status, count]) => [`status="${status}"`, count] as const),
      ),
      ...family('plugboard_gateway_open_requests', 'gauge', 'Requests and streams that are open.', [
        ['', now.open],
      ]),
      ...family('plugboard_gateway_sessions', 'gauge', 'Sessions of legacy clients.', [['', now.sessions]]),
      ...(now.configVersion === undefined
        ? []
        : family('plugboard_gateway_config_version', 'gauge', 'The published configuration that is served.', [
            ['', now.configVersion],
          ])),
      ...family(
        'plugboard_gateway_servers',
        'gauge',
        'Servers by state.',
        [...states].map(([state, count]) => [`state="${state}"`, count] as const),
      ),
      ...family('process_cpu_seconds_total', 'counter', 'CPU time of this process.', [
        ['', (user + system) / 1e6],
      ]),
      ...family('process_resident_memory_bytes', 'gauge', 'Memory of this process.', [
        ['', process.memoryUsage.rss()],
      ]),
      '',
    ].join('\n')
  }

  #histogramOf(method: string): Histogram {
    const known = this.#seconds.get(method)
    if (known) return known
    const created = { counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0, count: 0 }
    this.#seconds.set(method, created)
    return created
  }

  #writeSeconds(): readonly string[] {
    const name = 'plugboard_gateway_request_seconds'
    const lines = [...this.#seconds].flatMap(([method, { counts, sum, count }]) => {
      let below = 0
      const buckets = bounds.map((bound, at) => {
        below += counts[at] ?? 0
        return `${name}_bucket{method="${method}",le="${bound}"} ${below}`
      })
      return [
        ...buckets,
        `${name}_bucket{method="${method}",le="+Inf"} ${count}`,
        `${name}_sum{method="${method}"} ${sum}`,
        `${name}_count{method="${method}"} ${count}`,
      ]
    })
    return [`# HELP ${name} How long requests took.`, `# TYPE ${name} histogram`, ...lines]
  }
}

function family(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  values: Iterable<readonly [labels: string, value: number]>,
): readonly string[] {
  const lines = [...values].map(([labels, value]) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]
}
