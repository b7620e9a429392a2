tensor-file --help
tensor-file convert --help
