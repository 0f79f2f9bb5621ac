// Bundles src/ into one page, ../mftpubsub/views/viewer/viewer.html, and a widget, ../mftpubsub/lab/widget.js; with
// --check, says whether that is what is there.

import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const here = new URL(".", import.meta.url).pathname;

const bundle = async (entry, format = "iife") => {
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    format,
    legalComments: "none",
    charset: "utf8",
  });
  return outputFiles[0].text.trim();
};

/** The licences of what is bundled. */
const notices = async () => {
  const { packages } = JSON.parse(await readFile(`${here}package-lock.json`, "utf8"));
  const names = Object.keys(packages).filter((path) => path && !packages[path].dev);
  const texts = names.map(async (path) => `${path.replace("node_modules/", "")} ${packages[path].version}\n\n${await readFile(`${here}${path}/LICENSE`, "utf8")}`);
  return (await Promise.all(texts)).join("\n\n").replaceAll("-->", "-- >");
};

const page = await readFile(`${here}src/page.html`, "utf8");
const script = await bundle("src/main.ts");
const style = await bundle("src/viewer.css");
const licences = (await notices()).trimEnd();
const built = {
  "views/viewer/viewer.html": `${page
    .replace("/* style */", () => style)
    .replace("/* script */", () => script.replaceAll("</script", "<\\/script"))
    .trimEnd()}\n<!--\nThis page is made from python/viewer, GPL-2.0-only. It has in it:\n\n${licences}\n-->\n`,
  "lab/widget.js": `${await bundle("src/lab.ts", "esm")}\n/*\nMade from python/viewer, GPL-2.0-only. It has in it:\n\n${licences.replaceAll("*/", "* /")}\n*/\n`,
};

for (const [name, content] of Object.entries(built)) {
  const target = `${here}../mftpubsub/${name}`;
  if (!process.argv.includes("--check")) {
    await writeFile(target, content);
    console.log(`${target}: ${(content.length / 1024).toFixed(0)} kB`);
  } else if ((await readFile(target, "utf8").catch(() => "")) !== content) {
    console.error(`${target} is not what src/ gives: run npm run build`);
    process.exitCode = 1;
  }
}
