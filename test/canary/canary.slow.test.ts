import { beforeAll, describe, expect, test } from 'vitest'
import { cliFile } from '../support/programs/cli.ts'
import { isPainted, noBrowser, startBrowser } from '../page/support/browser.ts'
import { canaries, findCanaries } from './canaries.ts'
import type { Hit } from './canaries.ts'
import { createLeakyWorld, createUnmaskedBuild } from './leaky-world.ts'
import type { LeakyWorld } from './leaky-world.ts'
import { noPostgres } from '../support/programs/postgres.ts'
import { useGateway } from './gateway-tour.ts'
import {
  firstTour,
  lastTour,
  longTour,
  runAll,
  runGenerated,
  shortTour,
  talk,
  useLostStore,
  useServe,
} from './tour.ts'
import type { Findings, ServedAddress } from './tour.ts'

/** Parts of the page, each with a text that is there when it is drawn. */
const pages: readonly (readonly [path: string, text: string])[] = [
  ['/', 'leaky'],
  ['/servers', 'remote'],
  ['/servers/leaky', 'leaky'],
  ['/servers/remote', 'remote'],
  ['/servers/vault', 'vault'],
  ['/servers/broken', 'broken'],
  ['/tools', 'refuse'],
  ['/tools/leaky%2Fleak', 'leak'],
  ['/resources', 'Choose a resource'],
  ['/prompts', 'Choose a prompt'],
  ['/timeline', 'any outcome'],
  ['/waiting', 'Waiting'],
  ['/audit', 'Audit'],
  ['/lock', 'shifty'],
  ['/chat', 'Use it.'],
  ['/config', 'Problems'],
]

const onePageOfEachKind = pages.filter(([path]) => path === '/' || path === '/lock')

/** The page as the browser has it. */
async function visitPages({ url, address }: ServedAddress, found: Findings, visited = pages): Promise<void> {
  await using browser = await startBrowser()
  const page = await browser.page()
  await page.goto(url)
  for (const [path, text] of visited) {
    // The tab keeps the token.
    if (path !== '/') await page.goto(`${address}${path}`)
    await page.getByText(text).first().waitFor({ state: 'attached' })
    await isPainted(page)
    found.set(`page ${path}`, await page.evaluate(() => document.documentElement.outerHTML))
  }
  const storage = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))
  found.set('storage of the page', storage)
}

async function collectFiles({ files, rows }: LeakyWorld, found: Findings): Promise<void> {
  for (const [name, text] of Object.entries(files()))
    found.set(`file ${name}`, `${name}\n${Buffer.from(text, 'latin1').toString()}`)
  found.set('rows of the database', await rows())
}

const hitsIn = (found: Findings): readonly Hit[] =>
  [...found].flatMap(([place, text]) => findCanaries(place, text))

/** Of the tour, searched once for all secrets. */
let known: readonly Hit[] | undefined
const hits = () => (known ??= hitsIn(found))

/** Machines that are busy with other tests take long. */
const slow = 600_000

/** The kinds of places; what `review` and `lock` print, and the places of the page and the API for it, are some of their own. */
const kinds = [
  /^(?:stdout|stderr|terminal|file|rows|API|events|page|gateway over HTTP|gateway over a pipe)/,
  /(?<=^std\w+ of \d+ )(?:review|lock)\b/,
  /^API GET lock|^page \/lock/,
]

function kindsOf(places: readonly string[]): readonly string[] {
  const found = places.flatMap((place) => kinds.flatMap((kind) => kind.exec(place)?.[0] ?? []))
  return [...new Set(found)].sort((one, other) => one.localeCompare(other))
}

/** Programs edit declarations, so these documents have them as they are written in the person's own file (decision 005). */
const isDeclaration = ({ place, canary }: Hit) =>
  /^stdout of \d+ (?:list|why) /.test(place) && ['literal', 'query', 'clientSecret'].includes(canary)

/** The whole tour, and the counter-proof with a build that masks nothing, at the same time: both mostly wait for processes. */
const found: Findings = new Map()
const unmasked: Findings = new Map()

beforeAll(async () => {
  await Promise.all([tourMasked(), tourUnmasked()])
}, slow)

async function tourMasked(): Promise<void> {
  await using world = await createLeakyWorld(cliFile)
  const lost = useLostStore(world, found)
  await runAll(world, firstTour, found)
  await Promise.all([runAll(world, longTour, found), useGateway(world, found)])
  await talk(world, found)
  await runGenerated(world, found)
  await useServe(world, found, async (served) => {
    if (noBrowser === undefined) await visitPages(served, found)
  })
  world.http.refuseTokens()
  await runAll(world, lastTour, found)
  await lost
  await collectFiles(world, found)
}

async function tourUnmasked(): Promise<void> {
  using build = createUnmaskedBuild()
  await using world = await createLeakyWorld(build.cli)
  await runAll(world, firstTour, unmasked)
  await Promise.all([runAll(world, shortTour, unmasked), useGateway(world, unmasked)])
  await talk(world, unmasked)
  await useServe(world, unmasked, async (served) => {
    if (noBrowser === undefined) await visitPages(served, unmasked, onePageOfEachKind)
  })
  await collectFiles(world, unmasked)
}

describe('T35 canaries: no secret in any output, file, row, answer or page', () => {
  test('the tour came by: servers were called, and what they said was masked, in all kinds of places', () => {
    expect(found.get('stdout of 0 call leaky/leak')).toContain('You sent •••')
    const masked = [...found].filter(([, text]) => text.includes('•••'))
    expect(masked.length).toBeGreaterThan(40)
    expect(kindsOf(masked.map(([place]) => place))).toEqual(allKinds)
  })

  test.each(Object.keys(canaries))('%s', (name) => {
    expect(hits().filter((hit) => hit.canary === name && !isDeclaration(hit))).toEqual([])
  })
})

const allKinds = [
  'API',
  'API GET lock',
  'events',
  'file',
  'gateway over a pipe',
  'gateway over HTTP',
  'lock',
  'page',
  'page /lock',
  'review',
  'rows',
  'stderr',
  'stdout',
  'terminal',
].filter(
  (kind) =>
    (!kind.startsWith('page') || noBrowser === undefined) && (kind !== 'rows' || noPostgres === undefined),
)

test('T35 canaries: a build whose redactor knows no secret fails in each place', () => {
  expect(kindsOf(hitsIn(unmasked).map(({ place }) => place))).toEqual(allKinds)
})
