/**
 * What people run, as they run it, with keys that open nothing. `call` is harmless: it reads, or fails on the dummy
 * key. `cannot` says why a server is listed although it cannot work without the internet.
 */
export const servers = [
  {
    name: '@modelcontextprotocol/server-everything',
    bin: 'mcp-server-everything',
    call: ['echo', { message: 'hello' }],
  },
  {
    name: '@modelcontextprotocol/server-filesystem',
    bin: 'mcp-server-filesystem',
    args: ['.'],
    call: ['list_allowed_directories', {}],
  },
  {
    name: '@modelcontextprotocol/server-memory',
    bin: 'mcp-server-memory',
    env: { MEMORY_FILE_PATH: '/dev/null' },
    call: ['read_graph', {}],
  },
  {
    name: '@angular/cli',
    bin: 'ng',
    args: ['mcp'],
    call: ['list_projects', {}],
  },
  {
    name: '@antv/mcp-server-chart',
    bin: 'mcp-server-chart',
    call: ['generate_pie_chart', { data: [{ category: 'a', value: 1 }] }],
  },
  {
    name: '@azure/mcp',
    bin: 'azmcp',
    args: ['server', 'start'],
    call: ['get_azure_bestpractices', { intent: 'general', learn: true }],
  },
  {
    name: '@brave/brave-search-mcp-server',
    bin: 'brave-search-mcp-server',
    args: ['--transport', 'stdio'],
    env: { BRAVE_API_KEY: 'dummy' },
    call: ['brave_web_search', { query: 'mcp' }],
  },
  { name: '@browsermcp/mcp', bin: 'mcp-server-browsermcp', call: ['browser_wait', { time: 0 }] },
  {
    name: '@elastic/mcp-server-elasticsearch',
    bin: 'mcp-server-elasticsearch',
    env: { ES_URL: 'http://127.0.0.1:9', ES_API_KEY: 'dummy' },
    call: ['list_indices', { indexPattern: '*' }],
  },
  { name: '@eslint/mcp', bin: 'mcp', call: ['lint-files', { filePaths: ['none.js'] }] },
  {
    name: '@heroku/mcp-server',
    bin: 'heroku-mcp-server',
    env: { HEROKU_API_KEY: 'dummy' },
    call: ['list_apps', {}],
    cannot: 'imports a file that its SDK does not have',
  },
  {
    name: '@modelcontextprotocol/server-github',
    bin: 'mcp-server-github',
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'dummy' },
    call: ['search_repositories', { query: 'mcp' }],
  },
  {
    name: '@modelcontextprotocol/server-puppeteer',
    bin: 'mcp-server-puppeteer',
    call: ['puppeteer_evaluate', { script: '1' }],
  },
  {
    name: '@modelcontextprotocol/server-sequential-thinking',
    bin: 'mcp-server-sequential-thinking',
    call: [
      'sequentialthinking',
      { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    ],
  },
  {
    name: '@notionhq/notion-mcp-server',
    bin: 'notion-mcp-server',
    env: { NOTION_TOKEN: 'dummy' },
    call: ['API-get-self', {}],
  },
  { name: '@playwright/mcp', bin: 'playwright-mcp', args: ['--headless'], call: ['browser_close', {}] },
  {
    name: '@sentry/mcp-server',
    bin: 'sentry-mcp',
    args: ['--access-token=dummy'],
    call: ['whoami', {}],
  },
  {
    name: '@stripe/mcp',
    bin: 'mcp',
    env: { STRIPE_SECRET_KEY: 'rk_test_dummy' },
    call: ['retrieve_balance', {}],
    cannot: 'hands everything on to a remote server',
  },
  {
    name: '@supabase/mcp-server-supabase',
    bin: 'mcp-server-supabase',
    args: ['--access-token', 'sbp_dummy', '--read-only'],
    call: ['list_projects', {}],
    cannot: 'asks a remote server for its list of tools',
  },
  {
    name: '@sveltejs/mcp',
    bin: 'svelte-mcp',
    call: ['list-sections', {}],
    cannot: 'fetches while it starts',
  },
  {
    name: '@upstash/context7-mcp',
    bin: 'context7-mcp',
    call: ['resolve-library-id', { query: 'x', libraryName: 'x' }],
  },
  {
    name: 'chrome-devtools-mcp',
    bin: 'chrome-devtools-mcp',
    args: ['--headless', '--no-usage-statistics'],
    call: ['list_pages', {}],
  },
  {
    name: 'exa-mcp-server',
    bin: 'exa-mcp-server',
    env: { EXA_API_KEY: 'dummy' },
    call: ['web_search_exa', { query: 'mcp' }],
  },
  {
    name: 'figma-developer-mcp',
    bin: 'figma-developer-mcp',
    args: ['--stdio', '--figma-api-key=dummy'],
    call: ['get_figma_data', { fileKey: 'x' }],
  },
  {
    name: 'firecrawl-mcp',
    bin: 'firecrawl-mcp',
    env: { FIRECRAWL_API_KEY: 'dummy' },
    call: ['firecrawl_monitor_list', {}],
  },
  { name: 'mcp-server-kubernetes', bin: 'mcp-server-kubernetes', call: ['ping', {}] },
  {
    name: 'mongodb-mcp-server',
    bin: 'mongodb-mcp-server',
    args: ['--readOnly', '--telemetry', 'disabled'],
    call: ['list-connections', {}],
  },
  { name: 'next-devtools-mcp', bin: 'next-devtools-mcp', call: ['nextjs_index', {}] },
  { name: 'nx-mcp', bin: 'nx-mcp', call: ['nx_docs', { userQuery: 'x' }] },
  { name: 'shadcn', bin: 'shadcn', args: ['mcp'], call: ['get_project_registries', {}] },
  {
    name: 'tavily-mcp',
    bin: 'tavily-mcp',
    env: { TAVILY_API_KEY: 'dummy' },
    call: ['tavily_search', { query: 'mcp' }],
  },
]
