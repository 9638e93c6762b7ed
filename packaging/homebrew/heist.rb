# Installs the program of a release. For a tap: Formula/heist.rb.
class Heist < Formula
  desc "Find text in trees of files, with the command line of ripgrep"
  homepage "{{repository}}"
  version "{{version}}"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "{{download}}/heist-{{version}}-aarch64-apple-darwin.tar.gz"
      sha256 "{{sha256 heist-VERSION-aarch64-apple-darwin.tar.gz}}"
    end
    on_intel do
      url "{{download}}/heist-{{version}}-x86_64-apple-darwin.tar.gz"
      sha256 "{{sha256 heist-VERSION-x86_64-apple-darwin.tar.gz}}"
    end
  end

  on_linux do
    on_arm do
      url "{{download}}/heist-{{version}}-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "{{sha256 heist-VERSION-aarch64-unknown-linux-gnu.tar.gz}}"
    end
    on_intel do
      url "{{download}}/heist-{{version}}-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "{{sha256 heist-VERSION-x86_64-unknown-linux-gnu.tar.gz}}"
    end
  end

  def install
    bin.install "hs", "heist-mcp"
    man1.install "doc/hs.1"
    bash_completion.install "complete/hs.bash" => "hs"
    zsh_completion.install "complete/_hs"
    fish_completion.install "complete/hs.fish"
  end

  test do
    (testpath/"notes.txt").write("one key\nno match\n")
    assert_equal "notes.txt:one key\n", shell_output("#{bin}/hs key")
  end
end
