import { expect, test } from 'vitest'
import { startGateway } from '../support/gateway.ts'
import { pdf, sdkSkillServer, skillServer, skillText } from '../support/skill-plans.ts'

const uri = 'skill://pdf-processing/SKILL.md'
interface Listed {
  readonly uri: string
  readonly resources: readonly { readonly uri: string }[]
}

test('clients of both eras list, get and read the skills of visible servers, with their addresses', async () => {
  await using started = await startGateway({ docs: sdkSkillServer() })
  for (const era of ['modern', 'legacy'] as const) {
    const send: typeof started.modern = (...args) => started[era](...args)
    const { skills } = (await send('skills/list')).body.result as unknown as {
      readonly skills: readonly Listed[]
    }
    expect(skills.map((skill) => skill.uri)).toEqual(['skill://notes/SKILL.md', uri])
    const got = await send('skills/get', { uri })
    expect(got.body.result?.['skill']).toEqual(skills[1])
    const read = await send('resources/read', { uri: 'skill://pdf-processing/references/FORMS.md' })
    expect(read.body.result?.['contents']).toMatchObject([{ text: 'Fill one field at a time.\n' }])
    const folder = await send('resources/directory/read', { uri: 'skill://pdf-processing' })
    expect(folder.body.result?.['resources']).toMatchObject([
      { uri },
      { uri: 'skill://pdf-processing/references', mimeType: 'inode/directory' },
    ])
    for (const [method, params] of [
      ['skills/get', { uri: 'skill://none/SKILL.md' }],
      ['skills/get', {}],
      ['resources/directory/read', { uri: 'skill://none' }],
    ] as const)
      expect((await send(method, params)).body.error).toMatchObject({ code: -32602 })
  }
  const { body } = await started.modern('skills/list')
  expect(body.result).toMatchObject({
    resultType: 'complete',
    ttlMs: expect.any(Number),
    cacheScope: 'private',
  })
})

test('two servers with one address: both are offered under addresses of their own, and their files are read from each', async () => {
  const other = {
    ...pdf,
    files: { 'SKILL.md': skillText('pdf-processing', 'Another', 'Of another server.\n') },
  }
  await using started = await startGateway({
    docs: skillServer({ skills: [pdf] }).entry,
    more: skillServer({ skills: [other], directories: true }).entry,
  })
  const { skills } = (await started.modern('skills/list')).body.result as unknown as {
    readonly skills: readonly Listed[]
  }
  expect(skills.map((skill) => [skill.uri, skill.resources.length])).toEqual([
    ['skill://docs/pdf-processing/SKILL.md', 2],
    ['skill://more/pdf-processing/SKILL.md', 1],
  ])
  const read = await started.modern('resources/read', { uri: 'skill://more/pdf-processing/SKILL.md' })
  expect(read.body.result?.['contents']).toMatchObject([
    { uri: 'skill://more/pdf-processing/SKILL.md', text: other.files['SKILL.md'] },
  ])
  const folder = await started.modern('resources/directory/read', { uri: 'skill://more/pdf-processing' })
  expect(folder.body.result?.['resources']).toMatchObject([{ uri: 'skill://more/pdf-processing/SKILL.md' }])
})

test('T12 a skill that changed is held: it is neither listed nor given by skills/get', async () => {
  const server = skillServer({ skills: [pdf] })
  await using started = await startGateway({ docs: server.entry })
  await started.modern('skills/list')
  server.change({ skills: [{ ...pdf, files: { ...pdf.files, 'references/FORMS.md': 'Another.\n' } }] })
  expect((await started.modern('skills/get', { uri })).body.error).toMatchObject({ code: -32602 })
  expect((await started.modern('skills/list')).body.result?.['skills']).toEqual([])
  expect((await started.modern('resources/read', { uri })).status).not.toBe(500)
})

test('a file of a skill that is not what is listed is not passed on, and one that is not listed is not there', async () => {
  const sent = skillText('pdf-processing', 'Extract and fill PDF documents', 'Do something else.\n')
  const server = skillServer({
    skills: [{ ...pdf, sent: { 'SKILL.md': sent }, hidden: { 'secret.txt': 'Not listed.\n' } }],
    directories: true,
  })
  await using started = await startGateway({ docs: server.entry })
  const asked: string[] = []
  started.gateway.host.on((event) => {
    if (event.type === 'server.said') asked.push(event.line)
  })
  await started.modern('skills/list')
  for (const era of ['modern', 'legacy'] as const) {
    const unverified = await started[era]('resources/read', { uri })
    expect(JSON.stringify(unverified.body)).not.toContain('Do something else')
    expect(unverified.body.error?.['message']).toBe(
      'The file "SKILL.md" of the skill "pdf-processing" of "docs" has 92 bytes, and 105 are listed. It is not used.',
    )
    const good = await started[era]('resources/read', { uri: 'skill://pdf-processing/references/FORMS.md' })
    expect(good.body.result?.['contents']).toMatchObject([{ text: 'Fill one field at a time.\n' }])
    asked.length = 0
    for (const address of [
      'skill://pdf-processing/secret.txt',
      'skill://pdf-processing/../../etc/passwd',
      'skill://pdf-processing/%2e%2e/other/SKILL.md',
      'skill://pdf-processing/references/../SKILL.md',
      'skill://other/SKILL.md',
    ])
      expect((await started[era]('resources/read', { uri: address })).body.error).toMatchObject({
        message: 'Resource not found',
      })
    expect(
      (await started[era]('resources/directory/read', { uri: 'skill://pdf-processing/../other' })).body.error,
    ).toMatchObject({ message: 'Unknown folder' })
    expect(asked.filter((line) => line.startsWith('resources/'))).toEqual([])
  }
})

test('a skill that a view hides cannot be read there by its address', async () => {
  const views = { plain: { tools: ['*', '!*/skill:*'] } }
  await using started = await startGateway({ docs: sdkSkillServer() }, { views })
  const path = '/plain'
  expect((await started.modern('skills/list', {}, { path })).body.result?.['skills']).toEqual([])
  for (const address of [uri, 'skill://pdf-processing/references/FORMS.md'])
    expect((await started.modern('resources/read', { uri: address }, { path })).body.error).toMatchObject({
      message: 'Resource not found',
    })
  expect((await started.modern('resources/read', { uri })).body.result?.['contents']).toHaveLength(1)
})
