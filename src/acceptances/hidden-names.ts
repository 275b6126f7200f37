import { sha256Hex } from '../model/canonical.ts'
import type { Acceptance, AcceptedOffer } from './acceptance.ts'
import { listOffers } from './offered-list.ts'
import type { Offers } from './offered-list.ts'

type NamedLists = Pick<Acceptance, 'tools' | 'prompts' | 'templates' | 'apps' | 'resources' | 'rejected'>

const start = 'sha256:'

/** In place of a name that holds a secret, its hash is stored: what was accepted under it is found, and the secret is not. */
export function hideNames(acceptance: Acceptance, isStorable: (name: string) => boolean): Acceptance {
  return { ...acceptance, ...renamed(acceptance, (name) => (isStorable(name) ? name : hiddenName(name))) }
}

/** The acceptance with the names that the server offers now in place of their hashes. */
export function showNames(
  acceptance: Acceptance,
  offers: Offers & { readonly resources?: readonly { readonly uri?: unknown }[] },
): Acceptance {
  const { tools, prompts, templates, resources, rejected } = acceptance
  const stored = [tools, prompts, templates, resources].flatMap((list) => [...list.keys()])
  const isHidden = [...stored, ...rejected.map(({ name }) => name)].some((name) => name.startsWith(start))
  if (!isHidden) return acceptance
  const names = [
    ...listOffers(offers).map(({ name }) => name),
    ...(offers.resources ?? []).map(({ uri }) => String(uri)),
  ]
  const byHash = new Map(names.map((name) => [hiddenName(name), name]))
  return { ...acceptance, ...renamed(acceptance, (name) => byHash.get(name) ?? name) }
}

function hiddenName(name: string): string {
  return start + sha256Hex(name)
}

function renamed(
  { tools, prompts, templates, apps, resources, rejected }: Acceptance,
  rename: (name: string) => string,
): NamedLists {
  const list = (offers: ReadonlyMap<string, AcceptedOffer>) =>
    new Map([...offers].map(([name, offer]) => [rename(name), offer]))
  return {
    tools: list(tools),
    prompts: list(prompts),
    templates: list(templates),
    apps: list(apps),
    resources: list(resources),
    rejected: rejected.map((each) => ({ ...each, name: rename(each.name) })),
  }
}
