import { fromRef, toRef } from '../../index.ts'
import type { Host, Json, JsonObject, Tool, UnlistedServer, View } from '../../index.ts'
import { hashOf, isPlainUri, ownersOf, passedDefinition } from '../../internal.ts'
import type { Caller, GatewayViewSettings } from '../../internal.ts'
import { definitionOf } from '../../serving.ts'
import { gatewaySkills, isSkillUri } from './gateway-skills.ts'
import type { GatewaySkills } from './gateway-skills.ts'
import { listLifetime } from './changes/list-lifetime.ts'
import { JsonText } from './served-request.ts'
import type { GatewayAddress } from './served-request.ts'
import { splitBySecrets } from './withheld-secrets.ts'

/** Whether a caller, or without one any caller, logs in to a server with an account of its own. */
export type HasOwnLogin = (server: string, caller: Caller | undefined) => boolean

export type ListMethod =
  | 'tools/list'
  | 'resources/list'
  | 'resources/templates/list'
  | 'prompts/list'
  | 'skills/list'

interface NamedPrompt {
  readonly server: string
  readonly prompt: string
}

/** What one address offers, computed from one state of the catalog. */
interface Offer {
  readonly version: number
  readonly at: number
  readonly tools: ReadonlyMap<string, Tool>
  /** All tools, where those that search and call are listed in their place. */
  readonly named: ReadonlyMap<string, Tool>
  readonly prompts: ReadonlyMap<string, NamedPrompt>
  /** The server of each listed resource. */
  readonly resources: ReadonlyMap<string, string>
  readonly templates: readonly { readonly server: string; readonly uriTemplate: string }[]
  readonly skills: GatewaySkills
  /** The members of each list, as JSON. */
  readonly texts: Readonly<Record<ListMethod, string>>
  /** Tools that are not listed because of a secret in their definitions. */
  readonly withheld: ReadonlyMap<string, Tool>
  /** What is wrong with the offers of a server. */
  readonly notes: ReadonlyMap<string, string>
  /** For how long clients may keep the lists, and the health of servers that have problems. */
  readonly tail: string
  /** Whole results, made with their first request. */
  readonly answers: Readonly<Record<'legacy' | 'modern', Partial<Record<ListMethod, JsonText>>>>
}

/** Lists that servers let expire are looked at again after this long. */
const maxAgeMs = 1000

/**
 * What an address offers: one function of the configuration, the catalog and the address, which listing, calling and
 * subscribing all use. It is the same for all clients of an address.
 */
export class GatewayView {
  readonly view: View
  readonly #host: Host
  readonly #settings: GatewayViewSettings
  readonly #mode: GatewayAddress['mode']
  /** Changes whenever the catalog or the state of a server does. */
  readonly #versionOf: () => number
  readonly #hasOwnLogin: HasOwnLogin
  #offer: Offer | undefined
  #learnedAt: number | undefined
  #learning: Promise<void> | undefined

  constructor(parts: {
    readonly host: Host
    readonly view: View
    readonly settings: GatewayViewSettings
    readonly mode: GatewayAddress['mode']
    readonly versionOf: () => number
    readonly hasOwnLogin: HasOwnLogin
  }) {
    this.#host = parts.host
    this.#hasOwnLogin = parts.hasOwnLogin
    this.view = parts.view
    this.#settings = parts.settings
    this.#mode = parts.mode
    this.#versionOf = parts.versionOf
  }

  /**
   * Waits for servers with the first list. Later ones answer at once with what is known, and look for servers that were not
   * ready in the background.
   */
  ready(): Promise<void> | undefined {
    const now = performance.now()
    if (this.#learnedAt === undefined)
      return (this.#learning ??= this.view
        .ready({ slow: 'skip' })
        .then(() => void (this.#learnedAt = performance.now()))
        .finally(() => (this.#learning = undefined)))
    if (now - this.#learnedAt > maxAgeMs) {
      this.#learnedAt = now
      this.view.ready().catch(() => undefined)
    }
    return undefined
  }

  /** The result of a list, the same bytes as long as nothing changes. */
  list(method: ListMethod, era: 'legacy' | 'modern'): JsonText {
    const { texts, tail, answers } = this.#current(maxAgeMs)
    const known = answers[era][method]
    if (known) return known
    const list = `"${listKeys[method]}":${texts[method]}`
    const text =
      era === 'modern' ? `{"resultType":"complete",${list},${tail}}` : `{${list}${tail.slice(metaAt(tail))}}`
    return (answers[era][method] = new JsonText(text))
  }

  /** The members of a list alone, to tell whether it changed. */
  listText(method: ListMethod): string {
    return this.#current().texts[method]
  }

  lifetime(): JsonObject {
    return JSON.parse(`{${this.#current().tail}}`) as JsonObject // written by this class
  }

  findTool(name: string): Tool | undefined {
    return this.#current().tools.get(name)
  }

  /** Likewise of a tool that others stand for in the list. */
  findNamed(name: string): Tool | undefined {
    return this.#current().named.get(name)
  }

  /** A tool that is held because of a secret in its definition. */
  findWithheld(name: string): Tool | undefined {
    return this.#current().withheld.get(name)
  }

  /** The ref of the tool that the settings give this name. */
  renamedRef(name: string): string | undefined {
    return Object.entries(this.#settings.rename ?? {}).find(([, renamed]) => renamed === name)?.[0]
  }

  /** The ref of a held tool that would have this name here. Whether it may be seen is for the view to say. */
  findHeld(name: string): string | undefined {
    const held = this.view.hiddenTools().filter(({ visibility }) => visibility.held !== undefined)
    return held.find((each) => this.#ownName({ ...each, tool: fromRef(each.ref)?.tool ?? '' }) === name)?.ref
  }

  /** The held prompt that would have this name here, likewise. */
  findHeldPrompt(name: string): NamedPrompt | undefined {
    const held = this.#host
      .held()
      .flatMap(({ server, offers }) =>
        offers.filter(({ kind }) => kind === 'prompt').map((offer) => ({ server, prompt: offer.name })),
      )
    return held.find((each) => this.#promptName(each) === name)
  }

  /** The name of a tool here; absent if it is not listed. */
  nameOf(ref: string): string | undefined {
    for (const [name, tool] of this.#current().named) if (tool.ref === ref) return name
    return undefined
  }

  /** The same with its own description, if it has one here. */
  shownAs(ref: string): { readonly name: string; readonly description?: string | undefined } | undefined {
    const name = this.nameOf(ref)
    return name === undefined ? undefined : { name, description: this.#settings.descriptions?.[ref] }
  }

  /** @param isFresh After a list that was just read. */
  skills(isFresh = false): GatewaySkills {
    return this.#current(isFresh ? 0 : Infinity).skills
  }

  findPrompt(name: string): NamedPrompt | undefined {
    return this.#current().prompts.get(name)
  }

  /** The server that lists a resource or a template of this text. */
  ownerOf(uri: string): string | undefined {
    const { resources, templates } = this.#current()
    return resources.get(uri) ?? templates.find(({ uriTemplate }) => uriTemplate === uri)?.server
  }

  /** The server of a resource that no list may name: by a template, or the only one that has resources at all. */
  findOwner(uri: string): string | undefined {
    const found = this.skills().owner(uri)
    const isOfSkills = found !== undefined || isSkillUri(uri)
    if (isOfSkills && !isPlainUri(uri)) return undefined
    if (!found && this.#isOfHiddenSkill(uri)) return undefined
    const listed = found?.skill.server ?? this.ownerOf(uri)
    if (listed !== undefined || isOfSkills) return listed
    const offered = this.view.resources()
    const [owner] = ownersOf(uri, offered)
    const [only, ...others] = new Set(offered.map(({ server }) => server))
    return owner ?? (others.length === 0 ? only : undefined)
  }

  /** Whether what a server offers is known: who owns an address then needs no waiting. */
  isKnown(server: string): boolean {
    return this.#host.servers().some(({ name, isKnown }) => name === server && isKnown)
  }

  /** Of an address that belongs to no skill here: whether it does elsewhere. */
  #isOfHiddenSkill(uri: string): boolean {
    return this.#host.skills().some((skill) => uri.startsWith(skill.uri.slice(0, -'SKILL.md'.length)))
  }

  /** Whether a caller may be told what a server says on the connection of lists: it has the login of another person (T31). */
  isShared(owner: string, caller: Caller | undefined): boolean {
    return !this.#hasOwnLogin(owner, caller)
  }

  /** Lists are made again after a while, so that servers whose lists expired are asked again; calls do not need that. */
  #current(maxAge = Infinity): Offer {
    const version = this.#versionOf()
    const known = this.#offer
    if (known?.version !== version) return (this.#offer = this.#compute(version))
    if (maxAge === Infinity || performance.now() - known.at < maxAge) return known
    return (this.#offer = this.#renew(known))
  }

  /** Looks for servers whose lists expired. What has not changed meanwhile is not written again. */
  #renew(known: Offer): Offer {
    this.view.tools({ mode: this.#mode })
    const tail = listLifetime(this.#host, this.#isVisibleServer(), known.notes)
    if (tail === known.tail) return { ...known, at: performance.now() }
    return { ...known, at: performance.now(), tail, answers: { legacy: {}, modern: {} } }
  }

  #compute(version: number): Offer {
    const split = <T extends { readonly definition: JsonObject }>(offers: readonly T[]) =>
      splitBySecrets(offers, this.#host)
    const { shown: tools, withheld: unlisted } = split(this.#namedTools(this.#mode))
    const isSearch = this.#mode === 'search'
    const { shown: all, withheld } = isSearch
      ? split(this.#namedTools('all'))
      : { shown: tools, withheld: unlisted }
    const { shown: prompts, withheld: heldPrompts } = split(this.#namedPrompts())
    const skills = gatewaySkills(this.view)
    const resources = new Map<string, string>()
    const notes = new Map<string, string>()
    const listed: JsonObject[] = []
    const templates: { readonly server: string; readonly uriTemplate: string; readonly item: JsonObject }[] =
      []
    const { shown: addresses, withheld: heldAddresses } = split(
      this.view
        .resources()
        .map(({ server, resource }) => ({ server, definition: passedDefinition(resource) })),
    )
    for (const { server, definition: resource } of addresses) {
      const { uri, uriTemplate } = resource
      // T26: the resources of an account are not listed to others; they can be read.
      if (typeof uri === 'string' && this.#hasOwnLogin(server, undefined)) continue
      // The view has the server first that listed an address first.
      const owner = typeof uri === 'string' ? resources.get(uri) : undefined
      if (owner !== undefined && owner !== server) notes.set(server, `address-clash (${owner})`)
      if (typeof uri === 'string' && owner === undefined) {
        resources.set(uri, server)
        listed.push(resource)
      } else if (typeof uriTemplate === 'string') templates.push({ server, uriTemplate, item: resource })
    }
    const held = [...withheld.map(({ tool }) => tool), ...heldPrompts, ...heldAddresses]
    for (const { server } of held) notes.set(server, 'held (a secret in a definition)')
    return {
      version,
      at: performance.now(),
      tools: new Map(tools.map(({ name, tool }) => [name, tool])),
      named: new Map(all.map(({ name, tool }) => [name, tool])),
      prompts: new Map(prompts.map(({ name, server, prompt }) => [name, { server, prompt }])),
      resources,
      templates,
      skills,
      texts: {
        'tools/list': JSON.stringify(tools.map(({ definition }) => definition)),
        'prompts/list': JSON.stringify(prompts.map(({ definition }) => definition)),
        'skills/list': skills.text,
        'resources/list': JSON.stringify(byKey(listed, 'uri')),
        'resources/templates/list': JSON.stringify(
          byKey(
            templates.map(({ item }) => item),
            'uriTemplate',
          ),
        ),
      },
      withheld: new Map(withheld.map(({ name, tool }) => [name, tool])),
      notes,
      tail: listLifetime(this.#host, this.#isVisibleServer(), notes),
      answers: { legacy: {}, modern: {} },
    }
  }

  /** The server that a tool or prompt of this name would be of, if nothing is known of it yet because it cannot be used. */
  findUnlisted(name: string): UnlistedServer | undefined {
    const found = this.unlisted().filter(({ prefix }) => name.startsWith(prefix))
    return found.sort((one, other) => other.prefix.length - one.prefix.length)[0]
  }

  /** Servers of this address that are in no list, because nothing is known of them yet. */
  unlisted(): readonly UnlistedServer[] {
    return this.view
      .unlisted()
      .filter(({ error: { code } }) => code !== 'server.disabled' && code !== 'server.untrusted')
  }

  #isVisibleServer(): (server: string) => boolean {
    const { servers, tools } = this.#settings
    if (!servers && !tools) return () => true
    const offered = new Set([
      ...this.view.tools().map(({ server }) => server),
      ...this.view.resources().map(({ server }) => server),
      ...this.view.prompts().map(({ server }) => server),
      ...this.view.skills().map(({ server }) => server),
      ...this.unlisted().map(({ server }) => server),
    ])
    return (server) => offered.has(server)
  }

  /** Sorted by name, so that the list is the same for every client and every start. */
  #namedTools(mode: GatewayAddress['mode']) {
    const { descriptions = {} } = this.#settings
    const offered = this.view.tools({ mode })
    const wanted = offered.map((tool) => ({ tool, name: this.#ownName(tool) }))
    return unclashed(wanted, ({ tool }) => tool.name).map(({ tool, name }) => {
      const description = descriptions[tool.ref]
      const definition = {
        ...passedDefinition(definitionOf(tool)),
        name,
        ...(description !== undefined && { description }),
      }
      return { tool, name, definition }
    })
  }

  #ownName({ ref, name, server, tool }: Pick<Tool, 'ref' | 'name' | 'server' | 'tool'>): string {
    const { prefix = true, rename = {} } = this.#settings
    return rename[ref] ?? (prefix || server === '' ? name : tool)
  }

  #promptName({ server, prompt }: NamedPrompt): string {
    return (this.#settings.prefix ?? true) ? `${server}__${prompt}` : prompt
  }

  #namedPrompts() {
    const offered = this.view.prompts().flatMap(({ server, prompt: definition }) => {
      const { name: prompt } = definition
      if (typeof prompt !== 'string') return []
      return [{ server, prompt, definition, name: this.#promptName({ server, prompt }) }]
    })
    const hashed = ({ server, prompt }: NamedPrompt) =>
      `${server}__${prompt}_${hashOf(toRef(server, prompt)).slice(0, 8)}`
    return unclashed(offered, hashed).map((each) => ({
      ...each,
      definition: { ...passedDefinition(each.definition), name: each.name },
    }))
  }
}

/** Where the health of servers begins in what follows a list; its end if all are well. */
function metaAt(tail: string): number {
  const at = tail.indexOf(',"_meta":')
  return at < 0 ? tail.length : at
}

const listKeys = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
  'skills/list': 'skills',
} as const satisfies Record<ListMethod, string>

/**
 * Items that want the same name get their other one, all of them: which one comes first must not matter. So does an item that
 * wants the other name of one of them; no two have the same other name.
 */
function unclashed<T extends { readonly name: string }>(
  items: readonly T[],
  otherName: (item: T) => string,
): readonly T[] {
  let named = items
  for (;;) {
    const counts = new Map<string, number>()
    for (const { name } of named) counts.set(name, (counts.get(name) ?? 0) + 1)
    if (counts.size === named.length) break
    const renamed = named.map((item) =>
      (counts.get(item.name) ?? 0) > 1 ? { ...item, name: otherName(item) } : item,
    )
    if (renamed.every(({ name }, at) => name === named[at]?.name)) break
    named = renamed
  }
  return [...named].sort((a, b) => compareTexts(a.name, b.name))
}

function byKey(items: readonly JsonObject[], key: string): readonly JsonObject[] {
  return [...items].sort((a, b) => compareTexts(textAt(a[key]), textAt(b[key])))
}

function textAt(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
