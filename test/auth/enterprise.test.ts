import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { listAccounts, login } from '../../src/auth.ts'
import { discover } from '../../src/index.ts'
import type { Host, JsonObject } from '../../src/index.ts'
import { browse } from '../support/authorization-server.ts'
import type { AuthorizationServer } from '../support/authorization-server.ts'
import { clientSecrets, startCompany, startServerOf, workloadToken } from '../support/identity-provider.ts'
import type { Company } from '../support/identity-provider.ts'
import { createPerson } from '../support/person-of-auth.ts'
import type { Person } from '../support/person-of-auth.ts'

const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange'
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const work = (host: Host, server = 'vault') => host.request(server, 'tools/call', { name: 'work' })
const done = { content: [{ text: 'done' }] }

function write(person: Person, name: string, content: JsonObject | string): void {
  const path = join(person.home, name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
}

/** The settings of a person whose company has this provider. */
function useProvider(person: Person, { idp }: Company, more: JsonObject = {}): void {
  const company = { issuer: idp.issuer, clientId: 'host', clientSecret: '${env:IDP_SECRET}', ...more }
  write(person, '.config/plugboard/settings.json', { identityProviders: { company } })
}

const env = { IDP_SECRET: clientSecrets.idp, SERVER_SECRET: clientSecrets.server }
const auth = {
  type: 'oauth',
  identityProvider: 'company',
  clientId: 'plugboard',
  clientSecret: '${env:SERVER_SECRET}',
}

/** The pages that a person was shown. */
function createBrowser() {
  const pages: string[] = []
  const open = async (url: string) => {
    pages.push(new URL(url).origin)
    await browse(url)
  }
  return { pages, open }
}

/** Everything stored in the open beside the private files of logins. */
function readHome(person: Person): string {
  const files = readdirSync(person.home, { recursive: true, withFileTypes: true })
  return files
    .filter((each) => each.isFile() && !each.name.endsWith('.secret'))
    .map((each) => readFileSync(join(each.parentPath, each.name), 'utf8'))
    .join('\n')
}

async function startBoth(options: Parameters<typeof startServerOf>[1] = {}): Promise<{
  readonly company: Company
  readonly one: AuthorizationServer
  readonly two: AuthorizationServer
}> {
  const company = await startCompany()
  const [one, two] = await Promise.all([
    startServerOf(company.publicKey, options),
    startServerOf(company.publicKey, options),
  ])
  return { company, one, two }
}

test('SEP-990 login: one sign-in at the identity provider serves every server that uses it', async () => {
  const { company, one, two } = await startBoth()
  const person = createPerson({ url: one.mcp, auth }, { env })
  const servers = {
    vault: { type: 'http', url: one.mcp, auth },
    other: { type: 'http', url: two.mcp, auth },
  }
  write(person, 'mcp.json', { mcpServers: servers })
  useProvider(person, company)
  const { pages, open } = createBrowser()
  expect(await person.login({ open })).toMatchObject({
    server: one.mcp,
    issuer: one.issuer,
    provider: 'company',
    who: 'dana',
    scopes: ['read'],
    isRenewable: true,
  })
  const host = await person.host()
  expect(await work(host)).toMatchObject(done)
  // The second server was never logged in to.
  expect(await work(host, 'other')).toMatchObject(done)
  expect(pages).toEqual([company.idp.issuer])
  expect(one.requests.filter(({ path }) => path === '/authorize')).toEqual([])
  expect({ idp: company.idp.grants(), one: one.grants(), two: two.grants() }).toEqual({
    idp: ['authorization_code', exchange, exchange],
    one: [jwtBearer],
    two: [jwtBearer],
  })
  const [sent] = company.idp.requests.filter(({ body }) => body.includes('token-exchange'))
  expect(Object.fromEntries(new URLSearchParams(sent?.body))).toMatchObject({
    requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    audience: one.issuer,
    resource: one.mcp,
    scope: 'read',
  })
  expect((await listAccounts(undefined, person.options)).map(({ server }) => server).sort()).toEqual(
    [one.mcp, two.mcp, `${company.idp.issuer}/#identity-provider`].sort(),
  )
})

test('SEP-990 login: a refusal of the identity provider is shown, and the person is sent nowhere else', async () => {
  const { company, one } = await startBoth()
  const person = createPerson({ url: one.mcp, auth }, { env })
  useProvider(person, company)
  company.refused.add(one.issuer)
  const { pages, open } = createBrowser()
  await expect(person.login({ open })).rejects.toMatchObject({
    code: 'login.failed',
    message: '"vault": The identity provider "company" refused access to it: access_denied.',
    data: { reason: 'refused', oauth: 'access_denied' },
  })
  expect({ pages, grants: one.grants() }).toEqual({ pages: [company.idp.issuer], grants: [] })
  const host = await person.host()
  await expect(work(host)).rejects.toMatchObject({ code: 'server.needs-auth' })
  expect(host.servers()[0]?.status).toMatchObject({
    failure: { message: expect.stringContaining('refused access to it: access_denied') as string },
  })
})

test('SEP-990 renewal: the exchange is repeated when the server refuses its token', async () => {
  const { company, one } = await startBoth()
  const person = createPerson({ url: one.mcp, auth }, { env })
  useProvider(person, company)
  await person.login()
  const host = await person.host()
  await work(host)
  const stored = Object.entries(person.files()).find(([, text]) => text.includes('"id_jag"'))?.[1] ?? '{}'
  const { tokens } = JSON.parse(stored) as { readonly tokens: { readonly access: string } } // as the login store writes it
  one.refusedTokens.add(tokens.access)
  expect(await work(host)).toMatchObject(done)
  expect({ idp: company.idp.grants(), one: one.grants() }).toEqual({
    idp: ['authorization_code', exchange, exchange],
    one: [jwtBearer, jwtBearer],
  })
})

test('SEP-990 renewal: an identity token that is due is renewed with the refresh token of the sign-in', async () => {
  const company = await startCompany({ idTokenSeconds: 20 })
  const one = await startServerOf(company.publicKey)
  const person = createPerson({ url: one.mcp, auth }, { env })
  useProvider(person, company)
  await person.login()
  await person.login({ open: () => Promise.reject(new Error('No page may be opened.')) })
  expect(company.idp.grants()).toEqual(['authorization_code', exchange, 'refresh_token', exchange])
})

test('SEP-990 program: the identity token comes from a file, read for each exchange, and no page is opened', async () => {
  const { company, one } = await startBoth()
  const signedIn = createPerson({ url: one.mcp, auth }, { env })
  useProvider(signedIn, company)
  await signedIn.login()
  const text = Object.values(signedIn.files()).find((each) => each.includes('idToken')) ?? ''
  const { tokens } = JSON.parse(text) as { readonly tokens: { readonly idToken: string } } // as the login store writes it
  const person = createPerson({ url: one.mcp }, { env })
  useProvider(person, company, {
    servers: [new URL(one.mcp).origin],
    idToken: '{file:~/identity.jwt}',
    clients: { [one.issuer]: { clientId: 'plugboard', clientSecret: '${env:SERVER_SECRET}' } },
  })
  const host = await person.host()
  await expect(work(host)).rejects.toMatchObject({ code: 'server.needs-auth' })
  write(person, 'identity.jwt', `${tokens.idToken}\n`)
  expect(await work(host)).toMatchObject(done)
})

test('SEP-990 secrets: neither identity tokens, grants nor client secrets are shown or stored in the open', async () => {
  const { company, one } = await startBoth()
  const person = createPerson({ url: one.mcp, auth }, { env })
  useProvider(person, company)
  const steps: unknown[] = []
  const account = await person.login({ tell: (step) => void steps.push(step) })
  const host = await person.host()
  await work(host)
  company.refused.add(one.issuer)
  one.refusedTokens.add('')
  const failed = await work(host).catch((error: unknown) => error)
  const secrets = Object.values(person.files()).flatMap((text) => {
    const { tokens } = JSON.parse(text) as { readonly tokens?: Readonly<Record<string, unknown>> } // as the login store writes it
    return [tokens?.['access'], tokens?.['refresh'], tokens?.['idToken']]
  })
  const grants = one.requests.map(({ body }) => new URLSearchParams(body).get('assertion'))
  const all = [...secrets, ...grants, ...Object.values(clientSecrets)].filter(
    (each) => typeof each === 'string',
  )
  expect(all.length).toBeGreaterThan(6)
  const shown = [JSON.stringify([account, steps, host.events, host.servers(), failed]), String(failed)]
  const seen = [...shown, readHome(person)].join('\n')
  expect(all.filter((secret) => seen.includes(secret))).toEqual([])
})

test('SEP-990 entry: an unknown identity provider is named, and nothing is sent', async () => {
  const { company, one } = await startBoth()
  const person = createPerson({ url: one.mcp, auth: { ...auth, identityProvider: 'else' } }, { env })
  useProvider(person, company)
  await expect(person.login()).rejects.toMatchObject({
    message: '"vault": There is no identity provider "else" in your settings.',
  })
  expect(one.requests).toEqual([])
})

async function startWorkload(): Promise<{
  readonly server: AuthorizationServer
  readonly person: Person
  readonly mount: (token: string) => void
  readonly mint: (lifeSeconds?: number) => string
}> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const server = await startServerOf(publicKey, { method: 'none' })
  const declared = {
    type: 'oauth',
    grantType: 'jwt-bearer',
    clientId: 'plugboard',
    assertion: '{file:~/workload.jwt}',
  }
  const person = createPerson({ url: server.mcp, auth: declared })
  return {
    server,
    person,
    mount: (token) => write(person, 'workload.jwt', `${token}\n`),
    mint: (lifeSeconds) => workloadToken(server.issuer, privateKey, lifeSeconds),
  }
}

test('SEP-1933 workload: the token of the platform is read for each token request and needs no secret', async () => {
  const { server, person, mount, mint } = await startWorkload()
  const first = mint()
  mount(first)
  const host = await person.host()
  expect(await work(host)).toMatchObject(done)
  const second = mint()
  mount(second)
  server.refusedTokens.add(person.token())
  expect(await work(host)).toMatchObject(done)
  const sent = server.requests.filter(({ path }) => path === '/token')
  expect(sent.map(({ body }) => new URLSearchParams(body).get('assertion'))).toEqual([first, second])
  expect(sent.map(({ headers }) => headers['authorization'])).toEqual([undefined, undefined])
  expect(server.grants()).toEqual([jwtBearer, jwtBearer])
})

test('SEP-1933 workload: a refused token is not sent again, and no other grant is tried', async () => {
  const { server, person, mount, mint } = await startWorkload()
  mount(mint(-60))
  const host = await person.host()
  await expect(work(host)).rejects.toMatchObject({ code: 'server.needs-auth' })
  await expect(work(host)).rejects.toMatchObject({ code: 'server.needs-auth' })
  expect(server.grants()).toEqual([jwtBearer])
  mount(mint())
  expect(await work(host)).toMatchObject(done)
  expect(server.grants()).toEqual([jwtBearer, jwtBearer])
})

test('SEP-1933 workload: an issuer that lists no jwt-bearer grant never gets the token', async () => {
  const { server, person, mount, mint } = await startWorkload()
  mount(mint())
  server.respondInstead = ({ path }) =>
    path.startsWith('/.well-known')
      ? {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            issuer: server.issuer,
            token_endpoint: `${server.issuer}/token`,
            grant_types_supported: ['authorization_code'],
          }),
        }
      : undefined
  const [vault] = (await discover({ ...person.options, config: join(person.home, 'mcp.json') })).servers
  await expect(login(vault ?? '', person.options)).rejects.toMatchObject({
    message: '"vault": The issuer does not accept tokens of workloads (no jwt-bearer grant).',
  })
  expect(server.grants()).toEqual([])
})
