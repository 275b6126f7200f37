import { McpServer } from '@modelcontextprotocol/server'
import { SkillCatalog, memorySkillFiles } from '@modelcontextprotocol/server/ext/skills'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

// A server of skills with the official SDK. `--modern-only`: it refuses the earlier handshake.

const catalog = await SkillCatalog.load(
  memorySkillFiles({
    'pdf-processing/SKILL.md':
      '---\nname: pdf-processing\ndescription: Extract, fill and assemble PDF documents\nmetadata:\n  author: example\n---\n\nRead references/FORMS.md for forms.\n',
    'pdf-processing/references/FORMS.md': 'Fill one field at a time.\n',
    'notes/SKILL.md': '---\nname: notes\ndescription: Keep notes\n---\nWrite short notes.\n',
    'notes/examples/SHORT.md': 'Buy milk.\n',
  }),
)

serveStdio(
  () => {
    const server = new McpServer({ name: 'sdk-skills', version: '1.0.0' })
    catalog.attach(server)
    return server
  },
  { legacy: process.argv.includes('--modern-only') ? 'reject' : 'serve' },
)
