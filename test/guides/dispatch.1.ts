const lspExt = { manifest: { id: 'lsp' } }
//- snippet
if (CORE_EXTENSIONS.length !== 2) throw new Error('an extension is missing')
