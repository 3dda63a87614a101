import { createHash } from 'node:crypto';
import { build, defineConfig, type Plugin } from 'vite';

const target = 'es2022';
const oxc = { jsx: { runtime: 'automatic', importSource: 'preact' } } as const;
/** What `quiver ask --html` puts the recorded answer in place of. */
const PLACE = '{"recorded":null}';

function digest(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The script of the page as one file, which holds what such a page can show. */
async function singleScript(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    oxc,
    build: {
      target,
      modulePreload: false,
      write: false,
      rollupOptions: { input: 'src/single.tsx', output: { codeSplitting: false } },
    },
  });
  const { output } = (Array.isArray(built) ? built[0] : built) as { output: { type: string; code?: string }[] };
  const code = output.find(({ type }) => type === 'chunk')?.code;
  if (!code) throw new Error('the script of single.html is missing');
  return code.trim();
}

/** Writes `single.html`: the page as one file, with a policy that allows its own script and style only. */
function singleFile(): Plugin {
  return {
    name: 'single-file',
    enforce: 'post',
    async generateBundle(_, bundle) {
      const style = bundle['page.css'];
      if (style?.type !== 'asset') throw new Error('page.css is missing');
      const code = await singleScript();
      const css = String(style.source).trim();
      if (/<\/script|<!--/i.test(code) || /<\/style/i.test(css)) throw new Error('the script or style ends its element');
      const policy = `default-src 'none'; script-src ${digest(code)}; style-src ${digest(css)}; img-src data:`;
      this.emitFile({
        type: 'asset',
        fileName: 'single.html',
        source: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Quiver</title>
<link rel="icon" href="data:,">
<style>${css}</style>
</head>
<body>
<div id="page"></div>
<script type="application/json" id="recorded">${PLACE}</script>
<script type="module">${code}</script>
</body>
</html>
`,
      });
    },
  };
}

export default defineConfig({
  plugins: [singleFile()],
  oxc,
  build: {
    target,
    modulePreload: false,
    cssCodeSplit: false,
    rollupOptions: {
      output: { entryFileNames: 'page.js', chunkFileNames: '[name].js', assetFileNames: 'page.[ext]' },
    },
  },
});
