import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { readGatewaySettings } from '../../src/config/callers/gateway-settings.ts'
import { checkPublished } from '../../src/internal.ts'

const manifests = fileURLToPath(new URL('../../examples/gateway/kubernetes/', import.meta.url))
const schemas = fileURLToPath(new URL('../fixtures/kubernetes/', import.meta.url))

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly [key: string]: unknown
}

interface Kustomization {
  readonly resources: readonly string[]
  readonly images?: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[]
  readonly patches?: readonly {
    readonly target: Pick<Manifest, 'kind'> & { readonly name: string }
    readonly patch: string
  }[]
}

interface PatchStep {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string
  readonly value?: unknown
}

/** A strategic merge patch, of which only the removal of an object is used. */
interface Removal extends Manifest {
  readonly $patch: 'delete'
}

const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false })
for (const name of readdirSync(schemas))
  ajv.addSchema(JSON.parse(readFileSync(join(schemas, name), 'utf8')) as object)

/** What is wrong with a manifest, by the schema of its kind. */
function problemsOf(manifest: { readonly kind: string }): readonly string[] {
  const validate = ajv.getSchema(`${manifest.kind}.json`)
  if (!validate) return [`there is no schema for ${manifest.kind}`]
  void validate(manifest)
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

function readYaml(...path: readonly string[]): unknown {
  return parse(readFileSync(join(manifests, ...path), 'utf8'))
}

/** What a kustomization makes, as far as these use it: resources, then patches (RFC 6902, or a removal). */
function build(folder: string): readonly Manifest[] {
  const { resources, patches = [] } = readYaml(folder, 'kustomization.yaml') as Kustomization // checked by its schema
  const made = resources.flatMap((resource) =>
    resource.endsWith('.yaml') ? [readYaml(folder, resource) as Manifest] : build(join(folder, resource)),
  )
  for (const { target, patch } of patches) {
    const meant = made.filter(({ kind, metadata }) => kind === target.kind && metadata.name === target.name)
    expect([target, meant.length]).toEqual([target, 1])
    const change = parse(patch) as readonly PatchStep[] | Removal
    if ('$patch' in change) made.splice(indexOfRemoved(made, change), 1)
    else for (const step of change) applyStep(meant[0], step)
  }
  return made
}

function indexOfRemoved(made: readonly Manifest[], { $patch, ...removed }: Removal): number {
  const at = made.findIndex(
    ({ kind, metadata }) => kind === removed.kind && metadata.name === removed.metadata.name,
  )
  expect([$patch, made[at]]).toEqual(['delete', expect.objectContaining(removed)])
  return at
}

function applyStep(manifest: unknown, { op, path, value }: PatchStep): void {
  const keys = path.split('/').slice(1)
  const last = keys.pop() ?? ''
  const parent = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], manifest) as Record<
    string,
    unknown
  >
  expect([path, Object.hasOwn(parent, last)]).toEqual([path, op !== 'add'])
  if (op !== 'remove') parent[last] = value
  else if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else delete parent[last]
}

const find = (all: readonly Manifest[], kind: string) =>
  all.find((each) => each.kind === kind) as Manifest & Record<string, never>

const kindsOfBase = [
  'ConfigMap',
  'Deployment',
  'Service',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
  'NetworkPolicy',
]

describe.each([
  { folder: 'base', kinds: kindsOfBase },
  { folder: 'production', kinds: kindsOfBase },
  {
    folder: 'one-replica',
    kinds: ['ConfigMap', 'Deployment', 'Service', 'NetworkPolicy', 'PersistentVolumeClaim'],
  },
])('the manifests of $folder', ({ folder, kinds }) => {
  test('are valid by the schemas of their kinds, which know no other fields', () => {
    const made = build(folder)
    expect(made.map(({ kind }) => kind)).toEqual(kinds)
    const kustomization = readYaml(folder, 'kustomization.yaml') as { readonly kind: string }
    expect([...made, kustomization].map((each) => [each.kind, problemsOf(each)])).toEqual(
      [...made, kustomization].map((each) => [each.kind, []]),
    )
  })

  test('agree with each other: labels, names and ports', () => {
    const made = build(folder)
    const labels = { 'app.kubernetes.io/name': 'plugboard-gateway' }
    const deployment = find(made, 'Deployment')
    const { template, selector } = deployment['spec'] as never as DeploymentSpec
    expect([selector, template.metadata]).toEqual([{ matchLabels: labels }, { labels }])
    const [container] = template.spec.containers
    const named = container?.ports[0]?.name
    expect(find(made, 'Service')['spec']).toMatchObject({ selector: labels, ports: [{ targetPort: named }] })
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const)
      expect(container?.[probe].httpGet.port).toBe(named)
    const about = made.flatMap(({ kind, spec }) => {
      const { scaleTargetRef, selector: budgeted, podSelector } = (spec ?? {}) as Record<string, unknown>
      if (kind === 'HorizontalPodAutoscaler') return [scaleTargetRef]
      return kind === 'PodDisruptionBudget' ? [budgeted] : kind === 'NetworkPolicy' ? [podSelector] : []
    })
    const scaled = { apiVersion: 'apps/v1', kind: 'Deployment', name: deployment.metadata.name }
    const chosen = { matchLabels: labels }
    expect(about).toEqual(kinds === kindsOfBase ? [scaled, chosen, chosen] : [chosen])
    const mounted = container?.volumeMounts.map(({ name }) => name)
    expect(template.spec.volumes.map(({ name }) => name)).toEqual(mounted)
  })
})

test('the Secret is not applied with the others, and no pod starts without it', () => {
  const example = readYaml('secret.example.yaml') as Manifest
  expect(problemsOf(example)).toEqual([])
  for (const folder of ['base', 'production']) {
    const made = build(folder)
    expect(find(made, 'Secret')).toBe(undefined)
    const { spec } = (find(made, 'Deployment')['spec'] as never as DeploymentSpec).template
    expect(spec.containers[0]?.envFrom).toEqual([{ secretRef: { name: example.metadata.name } }])
  }
})

test('the guide makes the namespace and every Secret that the overlay refers to', () => {
  const guide = readFileSync(new URL('../../docs/guide/kubernetes.md', import.meta.url), 'utf8')
  const { namespace } = readYaml('production', 'kustomization.yaml') as { readonly namespace: string }
  expect(guide).toContain(`kubectl create namespace ${namespace}\n`)
  const { spec } = (find(build('production'), 'Deployment')['spec'] as never as DeploymentSpec).template
  const secrets = [...JSON.stringify(spec).matchAll(/"secret(?:Key)?Ref":{"name":"([^"]+)"/g)]
  expect(new Set(secrets.map(([, name]) => name))).toEqual(
    new Set(['plugboard-gateway', 'plugboard-servers']),
  )
  for (const [, name = ''] of secrets)
    expect(guide).toContain(`kubectl --namespace ${namespace} create secret generic ${name} `)
})

interface DeploymentSpec {
  readonly replicas?: number
  readonly strategy: object
  readonly selector: object
  readonly template: {
    readonly metadata: object
    readonly spec: {
      readonly terminationGracePeriodSeconds: number
      readonly containers: readonly (Readonly<
        Record<
          'startupProbe' | 'livenessProbe' | 'readinessProbe',
          { readonly httpGet: { readonly port: string } }
        >
      > & {
        readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
        readonly args: readonly string[]
        readonly envFrom: readonly object[]
        readonly volumeMounts: readonly { readonly name: string }[]
        readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } }
      })[]
      readonly volumes: readonly { readonly name: string }[]
    }
  }
}

test('one replica serves a valid file of its ConfigMap, needs no Secret and no database, and keeps its state', async () => {
  const made = build('one-replica')
  const { data } = find(made, 'ConfigMap') as never as { data: Readonly<Record<string, string>> }
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-kubernetes-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'gateway.json')
  const text = data['gateway.json'] ?? ''
  writeFileSync(file, text)
  const { refused, servers } = await checkPublished({ cwd: folder }, file, text)
  expect([refused, servers.length]).toEqual([[], 1])
  const { replicas, strategy, template } = find(made, 'Deployment')['spec'] as never as DeploymentSpec
  expect([replicas, strategy]).toEqual([1, { type: 'Recreate' }])
  const [container] = template.spec.containers
  expect(container?.args).toEqual(['--from', '/etc/plugboard/gateway.json'])
  expect(container).not.toHaveProperty('envFrom')
  const { name: claimName } = find(made, 'PersistentVolumeClaim').metadata
  expect(template.spec.volumes.find(({ name }) => name === 'state')).toEqual({
    name: 'state',
    persistentVolumeClaim: { claimName },
  })
  const { egress } = find(made, 'NetworkPolicy')['spec'] as never as { egress: readonly Egress[] }
  expect(egress.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([53, 53, 443])
})

interface Egress {
  readonly to?: readonly {
    readonly ipBlock?: { readonly cidr: string; readonly except: readonly string[] }
  }[]
  readonly ports: readonly { readonly port: number }[]
}

test('a pod asks the DNS of the cluster only, and reaches no private, shared or link-local address with HTTPS', () => {
  const { egress } = find(build('base'), 'NetworkPolicy')['spec'] as never as { egress: readonly Egress[] }
  const toOf = (wanted: number) =>
    egress.filter(({ ports }) => ports.some(({ port }) => port === wanted)).map(({ to }) => to)
  const dns = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } }
  expect(toOf(53)).toEqual([[dns]])
  const ipBlock = toOf(443)[0]?.[0]?.ipBlock
  const closed = new BlockList()
  for (const block of ipBlock?.except ?? []) {
    const [address = '', bits] = block.split('/')
    closed.addSubnet(address, Number(bits))
  }
  const inside = ['10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.1', '100.127.255.254', '169.254.169.254']
  expect(inside.filter((address) => !closed.check(address))).toEqual([])
  expect(['100.128.0.1', '172.32.0.1', '8.8.8.8'].filter((address) => closed.check(address))).toEqual([])
})

test('an unknown or misspelled field of a manifest is a problem', () => {
  const made = find(build('base'), 'Deployment')
  const wrong = structuredClone(made) as never as {
    spec: DeploymentSpec & { template: { spec: Record<string, unknown> } }
  }
  wrong.spec.template.spec['terminationGracePeriod'] = 5
  expect(problemsOf(wrong as never)).toEqual([
    '/spec/template/spec must NOT have additional properties {"additionalProperty":"terminationGracePeriod"}',
  ])
})

test('the settings in the manifest are valid, and a pod has longer to end than its calls', () => {
  const made = build('base')
  const { data } = find(made, 'ConfigMap') as never as { data: Readonly<Record<string, string>> }
  const { gateway } = JSON.parse(data['settings.json'] ?? '') as { gateway: { stopSeconds: number } }
  const problems: string[] = []
  expect(
    readGatewaySettings(gateway, (path, message) => problems.push(`${path.join('.')} ${message}`)),
  ).toEqual(gateway)
  expect(problems).toEqual([])
  const { spec } = (find(made, 'Deployment')['spec'] as never as DeploymentSpec).template
  const [, slept = ''] = spec.containers[0]?.lifecycle.preStop.exec.command ?? []
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(gateway.stopSeconds + Number(slept))
})

test('Compose file and Envoy configuration are YAML, and name the two gateways of the nginx example', () => {
  const folder = join(manifests, '..')
  const nginx = readFileSync(join(folder, 'nginx.conf'), 'utf8')
  const gateways = [...new Set(nginx.match(/10\.0\.0\.\d+(?=:4400)/g))]
  expect(gateways).toEqual(['10.0.0.11', '10.0.0.12'])
  const compose = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    volumes: Readonly<Record<string, object>>
  }
  expect(Object.keys(compose.volumes)).toEqual(['database', 'gateway-1', 'gateway-2'])
  for (const [at, address] of gateways.entries())
    expect(compose.services[`gateway-${at + 1}`]).toMatchObject({
      user: '65532:65532',
      read_only: true,
      cap_drop: ['ALL'],
      tmpfs: ['/tmp'],
      volumes: ['./settings.json:/etc/plugboard/settings.json:ro', `gateway-${at + 1}:/var/lib/plugboard`],
      networks: { team: { ipv4_address: address } },
    })
  const envoy = parse(readFileSync(join(folder, 'envoy.yaml'), 'utf8')) as object
  for (const address of gateways)
    expect(JSON.stringify(envoy)).toContain(`"address":"${address}","port_value":4400`)
})
