import { createHash } from 'node:crypto';
import { defineConfig, type Plugin } from 'vite';

/** What `quiver ask --html` puts the recorded answer in place of. */
const PLACE = '{"recorded":null}';

function digest(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Writes `single.html`: the page as one file, with a policy that allows its own script and style only. */
function singleFile(): Plugin {
  return {
    name: 'single-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const script = bundle['page.js'];
      const style = bundle['page.css'];
      if (script?.type !== 'chunk' || style?.type !== 'asset') throw new Error('page.js or page.css is missing');
      const code = script.code.trim();
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
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    rollupOptions: {
      output: { entryFileNames: 'page.js', assetFileNames: 'page.[ext]', codeSplitting: false },
    },
  },
});
