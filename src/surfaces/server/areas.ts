import type { RouteKey } from '../api/api.ts'
import { appRoutes } from '../api/app-routes.ts'
import { auditRoutes } from '../api/audit-routes.ts'
import { chatRoutes } from '../api/chat-routes.ts'
import { clientRoutes } from '../api/client-routes.ts'
import { configRoutes } from '../api/config-routes.ts'
import type { Snapshot } from '../api/feed.ts'
import { lockRoutes } from '../api/lock-routes.ts'
import { questionRoutes } from '../api/question-routes.ts'
import { serverRoutes } from '../api/server-routes.ts'
import { skillRoutes } from '../api/skill-routes.ts'
import { taskRoutes } from '../api/task-routes.ts'
import { toolRoutes } from '../api/tool-routes.ts'
import type { Area, SnapshotPart } from './area.ts'
import type { ServeContext } from './serve-context.ts'

const loaders = {
  servers: async () => (await import('./servers/server-area.ts')).serverArea,
  offers: async () => (await import('./offers/offer-area.ts')).offerArea,
  apps: async () => (await import('./apps/app-area.ts')).appArea,
  safety: async () => (await import('./safety/safety-area.ts')).safetyArea,
  clients: async () => (await import('./clients/client-area.ts')).clientArea,
  talk: async () => (await import('./talk/talk-area.ts')).talkArea,
} satisfies Readonly<Record<string, () => Promise<Area>>>

type AreaName = keyof typeof loaders

/** The area of each route, known without loading it. */
const areaOfRoute: ReadonlyMap<string, AreaName> = new Map([
  ...Object.keys({ ...serverRoutes, ...configRoutes }).map((key) => [key, 'servers'] as const),
  ...Object.keys({ ...toolRoutes, ...skillRoutes, ...taskRoutes }).map((key) => [key, 'offers'] as const),
  ...Object.keys(appRoutes).map((key) => [key, 'apps'] as const),
  ...Object.keys({ ...lockRoutes, ...auditRoutes }).map((key) => [key, 'safety'] as const),
  ...Object.keys(clientRoutes).map((key) => [key, 'clients'] as const),
  ...Object.keys({ ...questionRoutes, ...chatRoutes }).map((key) => [key, 'talk'] as const),
])

/** Apps have nothing to say before one is opened. */
const names = (Object.keys(loaders) as readonly AreaName[]).filter((name) => name !== 'apps') // the keys of the table above

/** The areas of one `serve`, each loaded once. */
export class Areas {
  readonly #context: () => ServeContext
  readonly #loaded = new Map<AreaName, Promise<Area>>()
  readonly #following: Disposable[] = []
  #isClosed = false

  constructor(context: () => ServeContext) {
    this.#context = context
  }

  /** Follows the configuration from now on, before anything is asked: what a page or a program is told first is true too. */
  followConfiguration(): void {
    // What fails here is said to the first request.
    this.#load('servers').catch(() => undefined)
  }

  /** The area with the handler of a route; `undefined` for a route of the core. */
  async ofRoute(key: RouteKey): Promise<Area | undefined> {
    const name = areaOfRoute.get(key)
    return name && this.#load(name)
  }

  async counts(): Promise<Snapshot['counts']> {
    const parts = await this.#ask(({ counts }) => counts)
    return Object.assign({ ...noCounts }, ...parts.map(({ part }) => part)) as Snapshot['counts'] // parts have no other keys
  }

  /** What the areas know. What one of them cannot tell becomes a notice: the others still count. */
  async snapshot(): Promise<Required<SnapshotPart>> {
    const answers = await this.#ask(({ snapshot }) => snapshot)
    const parts = answers.flatMap(({ part }) => part ?? [])
    const failures = answers.flatMap(({ failure }) => (failure === undefined ? [] : [{ message: failure }]))
    return {
      servers: parts.flatMap(({ servers = [] }) => servers),
      questions: parts.flatMap(({ questions = [] }) => questions),
      logins: parts.flatMap(({ logins = [] }) => logins),
      clients: parts.flatMap(({ clients = [] }) => clients),
      notices: [...parts.flatMap(({ notices = [] }) => notices), ...failures],
    }
  }

  close(): void {
    this.#isClosed = true
    for (const each of this.#following.splice(0)) each[Symbol.dispose]()
  }

  #load(name: AreaName): Promise<Area> {
    const known = this.#loaded.get(name)
    if (known) return known
    const loading = loaders[name]().then((area) => {
      if (!this.#isClosed && area.follow) this.#following.push(area.follow(this.#context()))
      return area
    })
    this.#loaded.set(name, loading)
    return loading
  }

  #ask<T>(partOf: (area: Area) => ((context: ServeContext) => Promise<T>) | undefined) {
    return Promise.all(
      names.map(async (name) => {
        try {
          const ask = partOf(await this.#load(name))
          return { part: await ask?.(this.#context()) }
        } catch (error) {
          return { failure: error instanceof Error ? error.message : String(error) }
        }
      }),
    )
  }
}

const noCounts: Snapshot['counts'] = {
  tools: 0,
  tokens: 0,
  resources: 0,
  prompts: 0,
  conversations: 0,
  problems: 0,
  brokenFiles: 0,
  held: 0,
}
